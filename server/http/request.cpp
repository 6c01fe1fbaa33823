// SPDX-License-Identifier: BSD-3-Clause
#include "server/http/request.hpp"

#include <algorithm>
#include <cctype>

namespace kaname::http {
namespace {

std::string_view trimmed(std::string_view text) {
    const auto begin = text.find_first_not_of(" \t");
    const auto end = text.find_last_not_of(" \t\r");
    return begin == std::string_view::npos ? "" : text.substr(begin, end - begin + 1);
}

const char* reason_of(int status) {
    switch (status) {
        case 200:
            return "OK";
        case 400:
            return "Bad Request";
        case 401:
            return "Unauthorized";
        case 403:
            return "Forbidden";
        case 404:
            return "Not Found";
        case 405:
            return "Method Not Allowed";
        case 413:
            return "Payload Too Large";
        case 431:
            return "Request Header Fields Too Large";
        default:
            return "Service Unavailable";
    }
}

}  // namespace

std::string Request::header(const std::string& lower_case_name) const {
    const auto found = headers.find(lower_case_name);
    return found == headers.end() ? "" : found->second;
}

bool Request::has_body() const {
    const std::string length = header("content-length");
    return !header("transfer-encoding").empty() || (!length.empty() && length != "0");
}

std::optional<Request> parse_request(std::string_view text) {
    const auto next_line = [&] {
        const auto end = std::min(text.find('\n'), text.size());
        const std::string_view line = trimmed(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        return line;
    };
    const std::string_view first = next_line();
    const auto path = first.find(' ');
    const auto version = first.rfind(" HTTP/1.");
    if (path == std::string_view::npos || path == 0 || version == std::string_view::npos ||
        version <= path) {
        return std::nullopt;
    }
    Request request{std::string(first.substr(0, path)),
                    std::string(first.substr(path + 1, version - path - 1)),
                    {}};
    request.path = request.path.substr(0, request.path.find('?'));
    while (!text.empty()) {
        const std::string_view line = next_line();
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0) {
            return std::nullopt;
        }
        std::string name(line.substr(0, colon));
        std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
        request.headers[name] = trimmed(line.substr(colon + 1));
    }
    return request;
}

std::string response(int status, const std::string& type, const std::string& body) {
    return "HTTP/1.1 " + std::to_string(status) + ' ' + reason_of(status) +
           "\r\nContent-Type: " + type + "\r\nContent-Length: " + std::to_string(body.size()) +
           "\r\nConnection: close\r\n\r\n" + body;
}

}  // namespace kaname::http
