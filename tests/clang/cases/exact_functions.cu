// Mathematical functions whose results are exact.
extern "C" __global__ void exact(double* d, int n) {
  d[0] = sqrt((double)n) + pow(2.0, n);
  d[1] = fmax(1.5, 2.5) + fmod(7.5, 2.0) + hypot(3.0, 4.0);
  int exponent;
  d[2] = frexp(12.0, &exponent) + 100 * exponent + ldexp(1.0, 3) + ilogb(1000.0) + logb(1000.0);
  double whole;
  d[3] = modf(-2.75, &whole) + whole;
  d[4] = round(-2.5) + rint(2.5) + trunc(2.9) + ceil(2.1) + floor(-2.1);
  d[5] = nextafter(1.0, 2.0) > 1.0 && signbit(-0.0) && isfinite(1.0) && !isfinite(1.0 / 0.0);
  d[6] = remainder(7.0, 4.0) + fdim(5.0, 3.0) + copysign(3.0, -1.0);
  d[7] = fma(2.0, 3.0, 4.0) + norm3d(1.0, 2.0, 2.0) + rnorm3d(1.0, 2.0, 2.0) * 3;
}
// launch: exact --grid 1 --block 1 --arg float64[8]=0 --arg int32=9
// expect: arg 0 = 515 9 426.75 -2.75 1 1 -2 14
