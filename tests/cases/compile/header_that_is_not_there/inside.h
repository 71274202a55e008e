#include "sub/not.h"
