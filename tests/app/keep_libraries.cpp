// Under AddressSanitizer only: libraries stay loaded until the end. What an OpenGL driver still holds when EGL unloads it is no
// leak of ours, and its stack could not be named any more.
extern "C" int dlclose(void*) { return 0; }
