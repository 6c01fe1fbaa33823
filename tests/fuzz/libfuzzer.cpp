// SPDX-License-Identifier: BSD-3-Clause
// One program for all targets: KANAME_FUZZ_TARGET names the one to run.
//   KANAME_FUZZ_TARGET=msh build-fuzz/bin/kaname-fuzz CORPUS -max_total_time=60
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "solvers/base/error.hpp"
#include "tests/fuzz/target.hpp"

namespace {

const kaname::fuzz::Target* wanted = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    const char* name = std::getenv("KANAME_FUZZ_TARGET");
    for (const kaname::fuzz::Target& target : kaname::fuzz::targets()) {
        if (name != nullptr && std::strcmp(name, target.name) == 0) {
            wanted = &target;
        }
    }
    if (wanted == nullptr) {
        std::fputs("KANAME_FUZZ_TARGET must be one of", stderr);
        for (const kaname::fuzz::Target& target : kaname::fuzz::targets()) {
            std::fprintf(stderr, " %s", target.name);
        }
        std::fputs("\n", stderr);
        std::exit(2);
    }
    return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        wanted->run({reinterpret_cast<const char*>(data), size});
    } catch (const kaname::Error&) {
    }
    return 0;
}
