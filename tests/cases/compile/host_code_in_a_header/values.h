#include <iostream>              // expect left out: <iostream>
std::vector<float> read_list();  // expect left out: read_list()
