# Writes OUTPUT, C++ that holds the text of every file below FOLDER: cmake -DFOLDER=… -DOUTPUT=… -P embed_headers.cmake
file(GLOB_RECURSE names RELATIVE ${FOLDER} ${FOLDER}/*)
list(SORT names)
set(rows "")
foreach(name ${names})
  file(READ ${FOLDER}/${name} text)
  string(APPEND rows "    {\"${name}\", R\"warpbook(${text})warpbook\"},\n")
endforeach()
file(WRITE ${OUTPUT} "#include \"gpu/clang/headers.h\"

namespace warpbook::gpu {
namespace {

constexpr ClangHeader embedded_clang_headers[] = {
${rows}};

}  // namespace

std::span<const ClangHeader> clang_headers() { return embedded_clang_headers; }

}  // namespace warpbook::gpu
")
