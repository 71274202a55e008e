#include "big.h"
// expect message: big.h line 1: big declares 65536 bytes
