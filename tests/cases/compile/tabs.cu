// Tabs count as one column each.
__global__ void k(int* a) {
		  a[0]	=	missing;  // expect: error:12 identifier "missing" is undefined
}
