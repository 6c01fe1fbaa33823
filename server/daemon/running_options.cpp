// SPDX-License-Identifier: BSD-3-Clause
#include "server/daemon/running_options.hpp"

#include <nlohmann/json.hpp>

#include "server/daemon/private_file.hpp"

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
                                 {"config", options.config}};
    write_private(state / "options.json", content.dump() + "\n");
}

}  // namespace kaname::daemon
