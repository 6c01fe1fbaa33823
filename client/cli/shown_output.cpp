// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/shown_output.hpp"

#include <iostream>
#include <utility>

#include "solvers/base/shown.hpp"

namespace kaname::cli {

bool ShownBuffer::put(std::string_view text) {
    std::string whole = std::exchange(unfinished_, {}) + std::string(text);
    const std::size_t complete = whole.size() - unfinished_bytes(whole);
    unfinished_ = whole.substr(complete);
    whole.resize(complete);
    const std::string safe = kaname::shown(whole);
    return to_.sputn(safe.data(), static_cast<std::streamsize>(safe.size())) ==
           static_cast<std::streamsize>(safe.size());
}

void ShownBuffer::pass(std::string_view control) {
    to_.sputn(control.data(), static_cast<std::streamsize>(control.size()));
}

ShownBuffer::int_type ShownBuffer::overflow(int_type letter) {
    if (traits_type::eq_int_type(letter, traits_type::eof())) {
        return traits_type::not_eof(letter);
    }
    const char one = traits_type::to_char_type(letter);
    return put({&one, 1}) ? letter : traits_type::eof();
}

std::streamsize ShownBuffer::xsputn(const char* text, std::streamsize size) {
    return put({text, static_cast<std::size_t>(size)}) ? size : 0;
}

int ShownBuffer::sync() {
    return to_.pubsync();
}

ShownOutput::ShownOutput()
    : out_(std::cout.rdbuf()), err_(std::cerr.rdbuf()), shown_out_(*out_), shown_err_(*err_) {
    std::cout.rdbuf(&shown_out_);
    std::cerr.rdbuf(&shown_err_);
}

ShownOutput::~ShownOutput() {
    std::cout.rdbuf(out_);
    std::cerr.rdbuf(err_);
}

std::ostream& operator<<(std::ostream& out, Control control) {
    if (auto* const shown = dynamic_cast<ShownBuffer*>(out.rdbuf())) {
        shown->pass(control.sequence);
        return out;
    }
    return out << control.sequence;
}

}  // namespace kaname::cli
