// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kaname::mesh {

/// Reads the numbers of an MSH file one after the other, the same calls for both encodings: words
/// of a text, or values of 4 and 8 bytes. Every error is an InvalidArgument that names the file,
/// the section and the line, or the byte where the file is binary.
class MshInput {
public:
    MshInput(std::string_view bytes, std::string name);

    /// Goes on to the next "$Name" and returns Name; empty at the end of the file.
    std::string next_section();
    /// The section must end here, with "$EndName".
    void close_section();
    /// Passes over what is left of the section, up to "$EndName".
    void skip_section();

    /// The rest of the current line, without its end.
    std::string_view line();
    /// A whole number or a real number in text, whatever the encoding of the file.
    std::int64_t text_integer(const char* what);
    double text_number(const char* what);
    /// A text between double quotes.
    std::string quoted(const char* what);

    /// A signed integer of 4 bytes; one of 8 bytes that is not negative; a finite double.
    std::int32_t int32(const char* what);
    std::int64_t size(const char* what);
    double number(const char* what);
    /// A size that announces as many items of at least `bytes_each` bytes in binary, two in text.
    std::int64_t count(const char* what, std::size_t bytes_each);
    std::int64_t check_count(std::int64_t count, const char* what, std::size_t bytes_each) const;

    /// From here on numbers are binary, with their bytes swapped or not.
    void set_binary(bool swapped);
    [[nodiscard]] bool binary() const { return binary_; }

    [[noreturn]] void fail(const std::string& message) const;

private:
    void skip_blanks();
    std::string_view word(const char* what);
    template <class T>
    T raw(const char* what);

    std::string_view bytes_;
    std::string name_;
    std::string section_;
    std::size_t at_ = 0;
    bool binary_ = false;
    bool swapped_ = false;
};

}  // namespace kaname::mesh
