// The lane-wise handlers for one instruction set; gpu/CMakeLists.txt gives this file its -march.
#include "gpu/virtual/vm/handlers_alu.h"
#include "gpu/virtual/vm/handlers_atomic.h"
#include "gpu/virtual/vm/handlers_memory.h"
#include "gpu/virtual/vm/handlers_table.h"
