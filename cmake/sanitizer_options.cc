// Options of the address sanitizer, built into every program of a sanitizer build.
//
// Since 2023, a part of Abseil's hash tables is in its shared library. The packaged library was
// built without sanitizers, so it does not remove the marks that the headers, built with
// sanitizers, put on empty slots. Therefore such marks are ignored.
extern "C" const char* __asan_default_options() { return "allow_user_poisoning=0"; }
