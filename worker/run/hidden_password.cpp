// SPDX-License-Identifier: BSD-3-Clause
#include "worker/run/hidden_password.hpp"

#include <cctype>
#include <cstring>
#include <string_view>

namespace kaname::run {
namespace {

constexpr char kCover = 'x';

char* skip_spaces(char* at) {
    while (std::isspace(static_cast<unsigned char>(*at)) != 0) {
        ++at;
    }
    return at;
}

/// A value as libpq reads it: in quotes, where a backslash takes the next one, or to a space; in a
/// URI to the next parameter.
bool cover_value(char* at, bool uri) {
    const bool quoted = !uri && *at == '\'';
    at += quoted ? 1 : 0;
    bool any = false;
    while (*at != '\0') {
        const bool ends = quoted ? *at == '\''
                          : uri  ? *at == '&'
                                 : std::isspace(static_cast<unsigned char>(*at)) != 0;
        if (ends) {
            break;
        }
        if (*at == '\\' && at[1] != '\0' && !uri) {
            *at++ = kCover;
        }
        *at++ = kCover;
        any = true;
    }
    return any;
}

}  // namespace

bool hide_password(char* text) {
    bool any = false;
    char* const scheme = std::strstr(text, "://");
    const bool uri = scheme != nullptr;
    if (uri) {  // user:password@host
        char* const user = scheme + 3;
        char* const end = user + std::strcspn(user, "/?");
        char* host = end;
        while (host > user && *(host - 1) != '@') {
            --host;
        }
        for (char* at = user; host > user && at < host - 1; ++at) {
            if (*at == ':') {
                any = host - 1 - at > 1;
                std::memset(at + 1, kCover, static_cast<std::size_t>(host - 1 - (at + 1)));
                break;
            }
        }
    }
    constexpr std::string_view kWord = "password";
    for (char* at = std::strstr(text, kWord.data()); at != nullptr;
         at = std::strstr(at, kWord.data())) {
        at += kWord.size();
        char* const equals = uri ? at : skip_spaces(at);
        if (*equals == '=') {
            char* const value = uri ? equals + 1 : skip_spaces(equals + 1);
            any = cover_value(value, uri) || any;
        }
    }
    return any;
}

bool hide_password(int argc, char** argv, const std::string& option) {
    bool any = false;
    for (int k = 1; k < argc; ++k) {
        const std::string_view word = argv[k];
        if (word == option && k + 1 < argc) {
            any = hide_password(argv[++k]) || any;
        } else if (word.starts_with(option + '=')) {
            any = hide_password(argv[k] + option.size() + 1) || any;
        }
    }
    return any;
}

}  // namespace kaname::run
