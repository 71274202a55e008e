// The lane-wise handlers for one instruction set; gpu/CMakeLists.txt gives this file its -march.
#include "gpu/virtual/vm/lanes/handlers_alu.h"
#include "gpu/virtual/vm/lanes/handlers_atomic.h"
#include "gpu/virtual/vm/lanes/handlers_memory.h"
#include "gpu/virtual/vm/lanes/handlers_table.h"
