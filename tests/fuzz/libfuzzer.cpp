// SPDX-License-Identifier: BSD-3-Clause
// One program for all targets: KANAME_FUZZ_TARGET names the one to run.
//   KANAME_FUZZ_TARGET=msh build-fuzz/bin/kaname-fuzz CORPUS -max_total_time=60
// KANAME_FUZZ_SEEDS=FOLDER instead writes the seeds of all targets, FOLDER/TARGET/0 and so on, and
// the words of their formats, FOLDER/TARGET.dict; long_run.py runs them in turn.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "solvers/base/error.hpp"
#include "tests/fuzz/target.hpp"

namespace {

const kaname::fuzz::Target* wanted = nullptr;

/// A line of libFuzzer's dictionaries.
std::string entry(const char* word) {
    std::string line = "\"";
    for (const char* byte = word; *byte != '\0'; ++byte) {
        char escaped[8];
        std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(*byte));
        line += escaped;
    }
    return line + "\"\n";
}

void write_seeds(const std::filesystem::path& folder) {
    for (const kaname::fuzz::Target& target : kaname::fuzz::targets()) {
        const std::filesystem::path own = folder / target.name;
        std::filesystem::create_directories(own);
        std::size_t number = 0;
        for (const auto& of : {kaname::fuzz::seeds_of, kaname::fuzz::regressions_of}) {
            for (const std::string& input : of(target, KANAME_SOURCE_DIR)) {
                std::ofstream(own / std::to_string(number++), std::ios::binary) << input;
            }
        }
        std::ofstream words(folder / (std::string(target.name) + ".dict"));
        for (const char* word : target.words) {
            words << entry(word);
        }
    }
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int*, char***) {
    if (const char* folder = std::getenv("KANAME_FUZZ_SEEDS"); folder != nullptr) {
        write_seeds(folder);
        std::exit(0);
    }
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
