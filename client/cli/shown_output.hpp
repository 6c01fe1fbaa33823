// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace kaname::cli {

/// Passes on what is written to it as shown() has it, whoever wrote the text: characters may come
/// in parts.
class ShownBuffer final : public std::streambuf {
public:
    /// `to` outlives this.
    explicit ShownBuffer(std::streambuf& to) : to_(to) {}
    /// Passes on a control sequence of the program's own as it is.
    void pass(std::string_view control);

protected:
    int_type overflow(int_type letter) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    int sync() override;

private:
    bool put(std::string_view text);

    std::streambuf& to_;
    std::string unfinished_;  ///< the beginning of a character
};

/// While it lives, all that goes to std::cout and std::cerr passes a ShownBuffer: no text that a
/// server, a file or another program gave reaches the terminal in another way.
class ShownOutput {
public:
    ShownOutput();
    ~ShownOutput();
    ShownOutput(const ShownOutput&) = delete;
    ShownOutput& operator=(const ShownOutput&) = delete;

private:
    std::streambuf *out_, *err_;
    ShownBuffer shown_out_, shown_err_;
};

/// A control sequence of the program's own, for `out << Control{"\r"}`.
struct Control {
    std::string_view sequence;
};
std::ostream& operator<<(std::ostream& out, Control control);

}  // namespace kaname::cli
