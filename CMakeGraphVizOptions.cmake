# What script/rooms draws: the program's own libraries, without the tests and without other people's libraries.
set(GRAPHVIZ_GRAPH_NAME "Warpbook")
set(GRAPHVIZ_GRAPH_HEADER "node [ fontsize = 12, shape = box ]; rankdir = TB;")
set(GRAPHVIZ_NODE_PREFIX "room")
set(GRAPHVIZ_EXTERNAL_LIBS FALSE)
set(GRAPHVIZ_INTERFACE_LIBS FALSE)
set(GRAPHVIZ_UNKNOWN_LIBS FALSE)
set(GRAPHVIZ_CUSTOM_TARGETS FALSE)
set(GRAPHVIZ_GENERATE_PER_TARGET FALSE)
set(GRAPHVIZ_GENERATE_DEPENDERS FALSE)
set(GRAPHVIZ_IGNORE_TARGETS ".*_test" "test_.*" "forms_provers" "ptx_forms" "gpu_check" "runtime_program" "peer_.*" "warpbook_bench" "warpbook_peer" "warpbook_clock"
                            ".*_headers" "warpbook_glad" "clang_headers.*")
