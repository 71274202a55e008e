int rounded(int x) { return x / 8 * 8; }  // expect: error is considered a host function // by clang: note:5 call to __host__ function
