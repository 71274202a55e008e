// Prints the page of forms: script/test --forms.
#include <cstdio>

#include "tests/forms/page.h"

int main() {
  warpbook::gpu::test::Bench bench;
  const std::string page = warpbook::gpu::test::page_of(bench);
  std::fwrite(page.data(), 1, page.size(), stdout);
}
