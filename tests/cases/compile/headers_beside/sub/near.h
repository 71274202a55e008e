constexpr float near_by = 1;
#include "../common/half.inl"
