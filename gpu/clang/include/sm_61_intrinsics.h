// Nothing that was not included already.
#pragma once
#include <warpbook_cuda.h>
