// Random numbers in kernels, each thread from a state of its own: the functions of cuRAND's device interface.
//
// Philox4x32-10 is J. K. Salmon and others, Parallel Random Numbers: As Easy as 1, 2, 3 (SC11): key and counter are the seed and the
// place in the sequence. XORWOW is G. Marsaglia, Xorshift RNGs (Journal of Statistical Software 8, 2003); its state is filled by
// SplitMix64 (G. L. Steele and others, OOPSLA 2014) from seed and sequence, so that its numbers are others than cuRAND's.
#pragma once
#pragma clang system_header

#include <warpbook_cuda.h>

struct curandStateXORWOW {
  unsigned int warpbook_x[5], warpbook_weyl;
  float warpbook_kept_normal;
  bool warpbook_has_normal;
};
struct curandStatePhilox4_32_10 {
  uint4 ctr, output;
  uint2 key;
  unsigned int STATE;
  float warpbook_kept_normal;
  bool warpbook_has_normal;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

#ifdef __CUDA__
namespace warpbook_random {

WARPBOOK_DEVICE unsigned long long split_mix(unsigned long long& state) {
  unsigned long long z = state += 0x9e3779b97f4a7c15ull;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ z >> 27) * 0x94d049bb133111ebull;
  return z ^ z >> 31;
}
WARPBOOK_DEVICE uint4 philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const unsigned int high0 = __umulhi(0xd2511f53u, counter.x), low0 = 0xd2511f53u * counter.x;
    const unsigned int high1 = __umulhi(0xcd9e8d57u, counter.z), low1 = 0xcd9e8d57u * counter.z;
    counter = {high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0};
    key.x += 0x9e3779b9u;
    key.y += 0xbb67ae85u;
  }
  return counter;
}
WARPBOOK_DEVICE void advance(uint4& counter, unsigned long long steps) {
  const unsigned long long low = (unsigned long long)counter.y << 32 | counter.x, sum = low + steps;
  counter.x = (unsigned int)sum;
  counter.y = (unsigned int)(sum >> 32);
  if (sum < low && ++counter.z == 0) ++counter.w;
}
/// Within 0 (not reached) and 1 (reached).
WARPBOOK_DEVICE float uniform(unsigned int bits) { return fmaf((float)bits, 0x1p-32f, 0x1p-33f); }
WARPBOOK_DEVICE double uniform(unsigned int low, unsigned int high) {
  return (double)(((unsigned long long)high << 32 | low) >> 11) * 0x1p-53 + 0x1p-54;
}
/// Two independent normal numbers (Box and Muller, 1958).
WARPBOOK_DEVICE float2 normal(unsigned int a, unsigned int b) {
  float sine, cosine;
  sincospif(2 * uniform(b), &sine, &cosine);
  const float radius = sqrtf(-2 * logf(uniform(a)));
  return {radius * sine, radius * cosine};
}

}  // namespace warpbook_random

WARPBOOK_DEVICE unsigned int curand(curandStateXORWOW* state) {
  unsigned int* const x = state->warpbook_x;
  unsigned int t = x[0] ^ x[0] >> 2;
  x[0] = x[1], x[1] = x[2], x[2] = x[3], x[3] = x[4];
  x[4] = (x[4] ^ x[4] << 4) ^ (t ^ t << 1);
  state->warpbook_weyl += 362437;
  return state->warpbook_weyl + x[4];
}
WARPBOOK_DEVICE void skipahead(unsigned long long numbers, curandStateXORWOW* state) {
  for (; numbers > 0; --numbers) curand(state);
}
WARPBOOK_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                 curandStateXORWOW* state) {
  unsigned long long mixed = sequence;
  mixed = seed ^ warpbook_random::split_mix(mixed);
  for (int i = 0; i < 5; ++i) state->warpbook_x[i] = (unsigned int)(warpbook_random::split_mix(mixed) >> 32) | (i == 0);
  state->warpbook_weyl = (unsigned int)warpbook_random::split_mix(mixed);
  state->warpbook_has_normal = false;
  skipahead(offset, state);
}

WARPBOOK_DEVICE void skipahead(unsigned long long numbers, curandStatePhilox4_32_10* state) {
  const unsigned int place = state->STATE + (unsigned int)(numbers & 3);
  warpbook_random::advance(state->ctr, numbers / 4 + place / 4);
  state->STATE = place % 4;
  state->output = warpbook_random::philox(state->ctr, state->key);
}
WARPBOOK_DEVICE void curand_init(unsigned long long seed, unsigned long long sequence, unsigned long long offset,
                                 curandStatePhilox4_32_10* state) {
  state->ctr = {0, 0, (unsigned int)sequence, (unsigned int)(sequence >> 32)};
  state->key = {(unsigned int)seed, (unsigned int)(seed >> 32)};
  state->STATE = 0;
  state->warpbook_has_normal = false;
  skipahead(offset, state);
}
WARPBOOK_DEVICE unsigned int curand(curandStatePhilox4_32_10* state) {
  const uint4 four = state->output;
  const unsigned int place = state->STATE;
  const unsigned int result = place == 0 ? four.x : place == 1 ? four.y : place == 2 ? four.z : four.w;
  if (place == 3) {
    warpbook_random::advance(state->ctr, 1);
    state->output = warpbook_random::philox(state->ctr, state->key);
  }
  state->STATE = (place + 1) % 4;
  return result;
}
WARPBOOK_DEVICE uint4 curand4(curandStatePhilox4_32_10* state) {
  const unsigned int a = curand(state), b = curand(state), c = curand(state), d = curand(state);
  return {a, b, c, d};
}
WARPBOOK_DEVICE float4 curand_uniform4(curandStatePhilox4_32_10* state) {
  using warpbook_random::uniform;
  const uint4 bits = curand4(state);
  return {uniform(bits.x), uniform(bits.y), uniform(bits.z), uniform(bits.w)};
}
WARPBOOK_DEVICE float4 curand_normal4(curandStatePhilox4_32_10* state) {
  const uint4 bits = curand4(state);
  const float2 a = warpbook_random::normal(bits.x, bits.y), b = warpbook_random::normal(bits.z, bits.w);
  return {a.x, a.y, b.x, b.y};
}

template <class State>
WARPBOOK_DEVICE float curand_uniform(State* state) {
  return warpbook_random::uniform(curand(state));
}
template <class State>
WARPBOOK_DEVICE double curand_uniform_double(State* state) {
  const unsigned int low = curand(state), high = curand(state);
  return warpbook_random::uniform(low, high);
}
template <class State>
WARPBOOK_DEVICE float2 curand_normal2(State* state) {
  const unsigned int a = curand(state), b = curand(state);
  return warpbook_random::normal(a, b);
}
/// Of each pair the second one is kept for the next call.
template <class State>
WARPBOOK_DEVICE float curand_normal(State* state) {
  if (state->warpbook_has_normal) {
    state->warpbook_has_normal = false;
    return state->warpbook_kept_normal;
  }
  const float2 both = curand_normal2(state);
  state->warpbook_has_normal = true;
  state->warpbook_kept_normal = both.y;
  return both.x;
}
template <class State>
WARPBOOK_DEVICE double curand_normal_double(State* state) {
  double sine, cosine;
  const double a = curand_uniform_double(state), b = curand_uniform_double(state);
  sincospi(2 * b, &sine, &cosine);
  return sqrt(-2 * log(a)) * sine;
}
template <class State>
WARPBOOK_DEVICE float curand_log_normal(State* state, float mean, float deviation) {
  return expf(fmaf(deviation, curand_normal(state), mean));
}
/// Counts factors until their product falls below exp(-lambda) (Knuth, TAOCP 2, 3.4.1), in parts of at most 16.
template <class State>
WARPBOOK_DEVICE unsigned int curand_poisson(State* state, double lambda) {
  unsigned int count = 0;
  for (double left = lambda; left > 0; left -= 16) {
    const float limit = expf(-(float)(left < 16 ? left : 16));
    for (float all = curand_uniform(state); all > limit; all *= curand_uniform(state)) ++count;
  }
  return count;
}
#endif  // __CUDA__
