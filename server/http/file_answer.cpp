// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/file_answer.hpp"

#include "server/http/error_answer.hpp"
#include "server/http/ranges.hpp"
#include "solvers/base/error.hpp"

namespace kaname::http {
namespace {

unsigned nibble(char digit) {
    return static_cast<unsigned>(digit >= 'a' ? digit - 'a' + 10 : digit - '0');
}

/// The base64 of the 32 bytes that 64 hexadecimal digits stand for.
std::string base64_of_hex(const std::string& hex) {
    constexpr const char* kLetters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    unsigned bits = 0;
    int n_bits = 0;
    for (const char digit : hex) {
        bits = bits << 4U | nibble(digit);
        n_bits += 4;
        if (n_bits >= 6) {
            n_bits -= 6;
            text += kLetters[bits >> static_cast<unsigned>(n_bits) & 63U];
        }
    }
    if (n_bits > 0) {
        text += kLetters[bits << static_cast<unsigned>(6 - n_bits) & 63U];
    }
    return text + std::string((4 - text.size() % 4) % 4, '=');
}

}  // namespace

Answer file_answer(const Request& request, StoredFile file) {
    const auto if_match = request.header("if-match");
    if (if_match && !has_tag(*if_match, file.sha256, false)) {
        return error_answer(
            request,
            Error(ErrorCode::Aborted,
                  "If-Match must name the file that is here, \"" + file.sha256 + '"'),
            412);
    }
    Answer answer;
    answer.headers = {{"ETag", '"' + file.sha256 + '"'},
                      {"Cache-Control", file.may_change ? "private, no-cache"
                                                        : "private, max-age=31536000, immutable"}};
    const auto none_match = request.header("if-none-match");
    if (none_match && has_tag(*none_match, file.sha256, true)) {
        answer.status = 304;
        return answer;
    }
    Selection selection{Selection::Kind::Whole, 0, file.bytes};
    const auto range = request.header("range"), if_range = request.header("if-range");
    // A date in If-Range matches nothing: files here have none.
    if (request.method == "GET" && range && (!if_range || has_tag(*if_range, file.sha256, false))) {
        selection = select_range(*range, file.bytes);
    }
    const std::string size = std::to_string(file.bytes);
    if (selection.kind == Selection::Kind::None) {
        answer = error_answer(request,
                              Error(ErrorCode::OutOfRange,
                                    "Range must begin within the " + size + " bytes of the file"),
                              416);
        answer.headers.emplace_back("Content-Range", "bytes */" + size);
        return answer;
    }
    if (selection.kind == Selection::Kind::Part) {
        answer.status = 206;
        answer.headers.emplace_back(
            "Content-Range", "bytes " + std::to_string(selection.offset) + '-' +
                                 std::to_string(selection.offset + selection.bytes - 1) + '/' +
                                 size);
    }
    for (const auto& [name, value] : std::initializer_list<std::pair<const char*, std::string>>{
             {"Accept-Ranges", "bytes"},
             {"Repr-Digest", "sha-256=:" + base64_of_hex(file.sha256) + ':'},
             {"Content-Type", file.type},
             {"Content-Disposition", attachment(file.name)}}) {
        answer.headers.emplace_back(name, value);
    }
    answer.region = Region{std::move(file.file), selection.offset, selection.bytes};
    return answer;
}

}  // namespace kaname::http
