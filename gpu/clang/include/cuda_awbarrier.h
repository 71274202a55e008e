// Asynchronous barriers under their older name.
#pragma once
#include <cuda/barrier>
