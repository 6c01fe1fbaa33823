// SPDX-License-Identifier: BSD-3-Clause
#include "client/cli/admin/server_options.hpp"

#include <algorithm>
#include <regex>
#include <vector>

#include "client/cli/common/text.hpp"
#include "solvers/base/address.hpp"
#include "solvers/base/machine.hpp"

namespace kaname::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kUsualPage = "127.0.0.1:0";

struct Option {
    std::string name, usual;  ///< usual: the value that need not be said
    std::optional<std::string> asked;
};

std::string text_of(int value) {
    return std::to_string(value);
}
std::string text_of(double value) {
    return format_number(value);
}
std::string text_of(const std::string& value) {
    return value;
}

template <class Value>
std::optional<std::string> said(const std::optional<Value>& value) {
    return value ? std::optional(text_of(*value)) : std::nullopt;
}
std::optional<std::string> said(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

/// The running server's value of an option; nothing where it is not known.
std::optional<std::string> value_of(const json& options, const std::string& name) {
    const json value = options.is_object() ? options.value(name, json()) : json();
    if (value.is_string()) {
        return value.get<std::string>();
    }
    if (value.is_number_integer()) {
        return text_of(value.get<int>());
    }
    return value.is_number() ? std::optional(text_of(value.get<double>())) : std::nullopt;
}

int ranks_of(const json& options) {
    const json ranks = options.is_object() ? options.value("ranks", json()) : json();
    return ranks.is_number_integer() ? std::max(1, ranks.get<int>()) : 1;
}

/// Texts that can be taken back.
std::optional<std::string> said_or_none(const std::string& text) {
    return text == kNone ? std::optional<std::string>("") : said(text);
}

std::vector<Option> options_of(const UpOptions& asked, const RunningServer& running) {
    const int ranks = ranks_of(running.options);
    std::optional<int> threads = asked.threads;
    if (threads) {
        threads = threads_of(threads, asked.ranks.value_or(ranks));
    }
    const auto canonical = [](const fs::path& path) { return fs::weakly_canonical(path).string(); };
    const auto file = [](const std::string& path) {
        return path.empty() || path == kNone ? path : fs::absolute(path).string();
    };
    return {{"workers", "1", said(asked.workers)},
            {"ranks", "1", said(asked.ranks)},
            {"threads", text_of(threads_of({}, ranks)), said(threads)},
            {"device", "auto", said(asked.device)},
            {"lease-s", "30", said(asked.lease_s)},
            {"database", "", said_or_none(asked.database)},
            {"artifacts", canonical(running.state / "artifacts"),
             asked.artifacts.empty()    ? std::nullopt
             : asked.artifacts == kNone ? std::optional(canonical(running.state / "artifacts"))
                                        : std::optional(canonical(asked.artifacts))},
            {"listen", "", said_or_none(asked.listen)},
            {"tls", "", said_or_none(asked.tls)},
            {"tls-cert", "", said_or_none(file(asked.tls_cert))},
            {"tls-key", "", said_or_none(file(asked.tls_key))},
            {"tls-client-ca", "", said_or_none(file(asked.tls_client_ca))},
            {"metrics", "", said_or_none(asked.metrics)},
            {"http", kUsualPage, said_or_none(asked.http)},
            {"config", "", said_or_none(file(asked.config))}};
}

bool is_any_port(const std::string& address) {
    return address.ends_with(":0");
}

std::string with_port(const std::string& address, int port) {
    return parse_address("address", address).host + ":" + std::to_string(port);
}

/// Port 0 asks for any.
bool same(const Option& option, const std::string& running) {
    const std::string& asked = *option.asked;
    const bool is_address =
        option.name == "listen" || option.name == "metrics" || option.name == "http";
    if (is_address && !running.empty() && is_any_port(asked)) {
        return with_port(running, 0) == asked;
    }
    return asked == running;
}

/// libpq takes "name=value name='value'" and URIs with name=value after their '?'.
std::string without_password(const std::string& text) {
    static const std::regex kUser("(://[^:/@]*):[^@/]*@"), kParameter("password=[^&]*"),
        kWord(R"(password\s*=\s*('(\\.|[^'\\])*'|(\\.|[^\\\s])+))");
    const std::string hidden = std::string("password=") + kHidden;
    if (text.find("://") == std::string::npos) {
        return std::regex_replace(text, kWord, hidden);
    }
    return std::regex_replace(std::regex_replace(text, kUser, std::string("$1:") + kHidden + "@"),
                              kParameter, hidden);
}

std::string shown(const std::string& name, const std::string& value) {
    if (value.empty()) {
        return name == "database" || name == "artifacts" ? "its own" : "none";
    }
    return name == "database" ? without_password(value) : value;
}

}  // namespace

int threads_of(std::optional<int> asked, int ranks) {
    return asked.value_or(0) > 0 ? *asked : threads_by_default(ranks);
}

std::string differences(const UpOptions& asked, const RunningServer& running) {
    std::string text;
    for (const Option& option : options_of(asked, running)) {
        if (!option.asked) {
            continue;
        }
        std::optional<std::string> now = value_of(running.options, option.name);
        if (now && option.name == "listen" && is_any_port(*now) && !running.listen.empty()) {
            now = with_port(*now, parse_address("listen", running.listen).port);
        }
        if (!now || !same(option, *now)) {
            text += "\n  --" + option.name + ": it runs with " +
                    (now ? shown(option.name, *now) : "an unknown value") + ", asked for " +
                    shown(option.name, *option.asked);
        }
    }
    return text;
}

UpOptions with_last_options(const UpOptions& asked, const RunningServer& last) {
    UpOptions merged = asked;
    const bool has_config = !value_of(last.options, "config").value_or("").empty();
    const json said_then =
        last.options.is_object() ? last.options.value("said", json::array()) : json::array();
    // A file that is named now says all that is not said here; else the last one does.
    const auto kept = [&](const std::string& name) -> std::optional<std::string> {
        const bool of_file = has_config && name != "config" &&
                             std::count(said_then.begin(), said_then.end(), json("--" + name)) == 0;
        const bool other_file = !asked.config.empty() && asked.config != kNone &&
                                name != "database" && name != "artifacts";
        return of_file || other_file ? std::nullopt : value_of(last.options, name);
    };
    const auto keep = [&](const std::string& name, const std::string& usual, std::string& option) {
        if (option.empty()) {
            const std::string value = kept(name).value_or("");
            option = value == usual ? "" : value;
        } else if (option == kNone) {
            option.clear();
        }
    };
    const bool own_tls = !asked.tls.empty(), own_certificate = !asked.tls_cert.empty();
    keep("config", "", merged.config);
    keep("database", "", merged.database);
    keep("artifacts", fs::weakly_canonical(last.state / "artifacts").string(), merged.artifacts);
    keep("listen", "", merged.listen);
    keep("metrics", "", merged.metrics);
    if (!own_certificate) {
        keep("tls", "", merged.tls);
    }
    if (!own_tls) {
        keep("tls-cert", "", merged.tls_cert);
        keep("tls-key", "", merged.tls_key);
    }
    keep("tls-client-ca", "", merged.tls_client_ca);
    if (merged.http.empty()) {
        const auto page = kept("http");
        merged.http = !page ? "" : page->empty() ? kNone : *page == kUsualPage ? "" : *page;
    }
    const auto number = [&](const std::string& name) -> std::optional<double> {
        const auto value = kept(name) ? last.options.value(name, json()) : json();
        return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
    };
    const auto keep_whole = [&](const std::string& name, std::optional<int>& option) {
        const auto value = number(name);
        if (!option && value) {
            option = static_cast<int>(*value);
        }
    };
    const int ranks_then = ranks_of(last.options);
    keep_whole("workers", merged.workers);
    keep_whole("ranks", merged.ranks);
    // Threads that were not said follow the cores of this machine, and other ranks.
    if (number("threads") != std::optional<double>(threads_of({}, ranks_then))) {
        keep_whole("threads", merged.threads);
    }
    if (!merged.device) {
        merged.device = kept("device");
    }
    if (!merged.lease_s) {
        merged.lease_s = number("lease-s");
    }
    return merged;
}

std::string merged_options(const UpOptions& asked, const RunningServer& running) {
    std::string text;
    for (const Option& option : options_of(asked, running)) {
        const auto now = value_of(running.options, option.name);
        std::string value = option.asked ? *option.asked : now.value_or(option.usual);
        if (option.name == "http" && value.empty()) {
            value = "none";  // else it has one by itself
        }
        // An option that was asked for is listed even with its usual value, since that differs from
        // what runs.
        if (!option.asked && value == option.usual) {
            continue;
        }
        text += " --" + option.name + " " +
                shell_word(option.name == "database" ? without_password(value) : value);
    }
    return text;
}

}  // namespace kaname::cli
