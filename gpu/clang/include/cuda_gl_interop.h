// CUDA's calls for OpenGL's buffers and images, so that programs that have a mode without a window compile. The library ends a program
// that calls them, by name.
#pragma once
#include <warpbook_cuda.h>

#include <GL/gl.h>

enum cudaGLDeviceList { cudaGLDeviceListAll = 1, cudaGLDeviceListCurrentFrame, cudaGLDeviceListNextFrame };

extern "C" {
cudaError_t cudaGLGetDevices(unsigned int*, int*, unsigned int, cudaGLDeviceList);
cudaError_t cudaGLSetGLDevice(int);
cudaError_t cudaGraphicsGLRegisterBuffer(cudaGraphicsResource_t*, GLuint, unsigned int);
cudaError_t cudaGraphicsGLRegisterImage(cudaGraphicsResource_t*, GLuint, GLenum, unsigned int);
}
