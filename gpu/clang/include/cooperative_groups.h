// Cooperative groups: threads that wait for one another and exchange values, as objects.
#pragma once
#pragma clang system_header

#include <warpbook/letters_away.h>
#include <warpbook/groups_base.h>

#include <warpbook/groups_block.h>

#include <warpbook/groups_warp.h>

#include <warpbook/groups_tiles.h>

#include <warpbook/letters_back.h>
