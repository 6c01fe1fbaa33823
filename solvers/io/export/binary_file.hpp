// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "solvers/base/files.hpp"

namespace kaname::io {

/// A file of texts and numbers of this machine that appears under its name when it is complete: it
/// is written as `path`.part through a buffer, flushed to disk and renamed by commit(), removed
/// without it. Throws Unavailable naming the path when the system refuses.
class BinaryFile {
public:
    explicit BinaryFile(std::string path);
    ~BinaryFile();
    BinaryFile(const BinaryFile&) = delete;
    BinaryFile& operator=(const BinaryFile&) = delete;

    void text(std::string_view bytes);
    template <class T>
    void number(T value) {
        static_assert(std::is_arithmetic_v<T>);
        char image[sizeof value];
        std::memcpy(image, &value, sizeof value);
        text({image, sizeof value});
    }
    void commit();

private:
    void flush();

    std::string path_, part_;
    Fd fd_;
    std::vector<char> buffer_;
    bool done_ = false;
};

/// The text with what XML reserves replaced.
[[nodiscard]] inline std::string xml_escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        switch (c) {
            case '&':
                out += "&amp;";
                break;
            case '<':
                out += "&lt;";
                break;
            case '>':
                out += "&gt;";
                break;
            case '"':
                out += "&quot;";
                break;
            default:
                out += c;
        }
    }
    return out;
}

}  // namespace kaname::io
