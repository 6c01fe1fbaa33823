// SPDX-License-Identifier: BSD-3-Clause
#include "server/daemon/running_options.hpp"

#include <type_traits>
#include <utility>

#include <nlohmann/json.hpp>

#include "server/daemon/private_file.hpp"
#include "solvers/base/files.hpp"

namespace kaname::daemon {

void write_running_options(const std::filesystem::path& state, const RunningOptions& options) {
    const nlohmann::json content{{"workers", options.workers},
                                 {"ranks", options.ranks},
                                 {"threads", options.threads},
                                 {"device", options.device},
                                 {"lease-s", options.lease_s},
                                 {"database", options.database},
                                 {"artifacts", options.artifacts},
                                 {"listen", options.listen},
                                 {"metrics", options.metrics},
                                 {"http", options.http},
                                 {"tls", options.tls},
                                 {"tls-cert", options.tls_cert},
                                 {"tls-key", options.tls_key},
                                 {"tls-client-ca", options.tls_client_ca},
                                 {"config", options.config},
                                 {"said", options.said}};
    write_private(state / "options.json", content.dump() + "\n");
}

std::optional<RunningOptions> read_running_options(const std::filesystem::path& state) {
    const auto content = nlohmann::json::parse(read_file_if_any(state / "options.json"), nullptr,
                                               /*allow_exceptions=*/false);
    if (!content.is_object()) {
        return std::nullopt;
    }
    RunningOptions options;
    const auto read = [&](const char* key, auto& value) {
        if (content.contains(key)) {
            value = content[key].get<std::decay_t<decltype(value)>>();
        }
    };
    try {
        for (const auto& [key, value] :
             {std::pair("device", &options.device), std::pair("database", &options.database),
              std::pair("artifacts", &options.artifacts), std::pair("listen", &options.listen),
              std::pair("metrics", &options.metrics), std::pair("http", &options.http),
              std::pair("tls", &options.tls), std::pair("tls-cert", &options.tls_cert),
              std::pair("tls-key", &options.tls_key),
              std::pair("tls-client-ca", &options.tls_client_ca),
              std::pair("config", &options.config)}) {
            read(key, *value);
        }
        read("workers", options.workers);
        read("ranks", options.ranks);
        read("threads", options.threads);
        read("lease-s", options.lease_s);
        read("said", options.said);
    } catch (const nlohmann::json::exception&) {
        return std::nullopt;
    }
    return options;
}

}  // namespace kaname::daemon
