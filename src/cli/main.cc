#include "cli/app.h"

int main(int argc, char** argv) { return warpsight::RunProgram(argc, argv); }
