// Prints the page of forms: script/test --forms.
#include <cstdio>

#include "tests/forms/proofs.h"

int main(int argc, char** argv) {
  warpbook::gpu::run_compiler_child_if_asked(argc, argv);
  warpbook::gpu::Compiler compiler;
  const std::string page = warpbook::gpu::test::forms_page(warpbook::gpu::test::collect_proofs(compiler));
  std::fwrite(page.data(), 1, page.size(), stdout);
}
