// SPDX-License-Identifier: BSD-3-Clause
#include "server/grpc/api_server.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

#include <dlfcn.h>
#include <google/protobuf/descriptor.h>
#include <grpc/grpc.h>
#include <grpc/support/time.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/health_check_service_interface.h>
#include <grpcpp/resource_quota.h>
#include <pthread.h>

#include "proto/reason/reasoned_error.hpp"
#include "proto/status/channel.hpp"
#include "proto/status/status.hpp"
#include "server/gate/gate.hpp"
#include "server/grpc/admin_service.hpp"
#include "server/grpc/call.hpp"
#include "server/grpc/host.hpp"
#include "server/grpc/user_services.hpp"
#include "server/grpc/workers_service.hpp"
#include "server/service/admin/metrics.hpp"
#include "server/service/campaigns/campaign_driver.hpp"

namespace kaname::rpc {
namespace {

// Calls of the synchronous API hold a thread: those of kUploads, kCalls and kResultUploads at most,
// and a quarter more that are being ended (Limits). Calls that wait are of the callback API
// (docs/decisions/0068-calls-that-wait-hold-no-thread.md).
constexpr int kMaxThreads = 512;
static_assert(kMaxThreads >=
              (service::kUploads.in_all + service::kCalls.in_all + service::kResultUploads.in_all) *
                      5 / 4 +
                  kReflections.in_all + 32);
// More calls of one connection than it may have open streams wait in the client.
constexpr int kStreamsOfAConnection = 256;
static_assert(kStreamsOfAConnection > service::kWaitingStreams.per_connection);
// NATs and proxies forget what is silent for 30 to 60 s: clients may ping more often than that.
constexpr int kShortestPing_ms = 1000;
constexpr int kKeepalive_ms = 60000;
constexpr int kHandshake_ms = 10000;
constexpr std::chrono::milliseconds kLastWords{250};  ///< after the last call of a server that ends
// Memory of connections and calls, at which gRPC takes less of each and ends calls of anybody: the
// last resort. The gate bounds what one owner has of it, service::Limits what handlers have.
constexpr std::size_t kMemoryOfCalls = std::size_t{384} << 20U;

std::vector<std::string> service_names() {
    std::vector<std::string> names;
    for (const char* name :
         {"Jobs", "Greens", "Artifacts", "Datasets", "Campaigns", "Workers", "Admin"}) {
        names.push_back(std::string("kaname.v1.") + name);
    }
    return names;
}

/// Messages are taken as they are: one that is compressed could unpack to any size.
void take_no_compression(grpc::ServerBuilder& builder) {
    builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_DEFLATE, false);
    builder.SetCompressionAlgorithmSupportStatus(GRPC_COMPRESS_GZIP, false);
    builder.AddChannelArgument(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0);
}

void bound_connections(grpc::ServerBuilder& builder) {
    grpc::ResourceQuota quota("kaname");
    quota.SetMaxThreads(kMaxThreads);
    quota.Resize(kMemoryOfCalls);
    builder.SetResourceQuota(quota);
    builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
    builder.AddChannelArgument(GRPC_ARG_MAX_CONCURRENT_STREAMS, kStreamsOfAConnection);
    builder.AddChannelArgument(GRPC_ARG_MAX_METADATA_SIZE,
                               static_cast<int>(gate::FrameLimits().list_bytes));
    // A peer that is gone without a word, and one that never says what it wants.
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepalive_ms);
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS, kHandshake_ms);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS,
                               kShortestPing_ms);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
}

/// Returns the method that "/SERVICE/METHOD" is of this server; null: there is none.
const google::protobuf::MethodDescriptor* method_of(std::string path) {
    if (path.empty()) {
        return nullptr;
    }
    std::ranges::replace(path, '/', '.');
    std::string name = path.substr(1);
    if (name.starts_with(kReflectionV1)) {
        const auto* service = grpc::reflection::v1alpha::ServerReflectionRequest::descriptor();
        name = service->file()->service(0)->full_name() + name.substr(std::strlen(kReflectionV1));
    }
    return google::protobuf::DescriptorPool::generated_pool()->FindMethodByName(name);
}

/// Returns true if "/SERVICE/METHOD" is a method whose caller sends many messages.
bool sends_many(const std::string& path) {
    const auto* method = method_of(path);
    return method != nullptr && method->client_streaming();
}

gate::Verdict verdict_of(const service::Context& context,
                         const std::optional<std::string>& authorization) {
    try {
        return {service::principal_of(context.tokens, authorization).name};
    } catch (const std::exception& error) {
        const grpc::Status status = to_status(error);
        return {"", status.error_code(), status.error_message(), status.error_details()};
    }
}

}  // namespace

struct ApiServer::Parts {
    Parts(service::ApiOptions options, const service::Backends& backends)
        : context(std::move(options), backends),
          requests(context),
          logs(context.options.logs),
          bulk(context),
          submitter(context, requests, bulk),
          dataset_maker(context, requests),
          jobs(context, submitter, logs, bulk),
          greens(context, submitter, dataset_maker),
          artifacts(context, dataset_maker),
          keeper(context),
          datasets(context, dataset_maker, keeper),
          downloads(context, dataset_maker),
          workers(context),
          claims(context, requests, logs),
          reports(context, logs),
          admin(context),
          access(context),
          campaigns(context),
          driver(context, submitter, jobs),
          host(context),
          jobs_service(host, jobs),
          greens_service(host, greens),
          artifacts_service(host, artifacts),
          datasets_service(context, datasets),
          campaigns_service(host, campaigns),
          workers_service(host, workers, claims, reports),
          admin_service(context, admin, access),
          reflection_service(context, service_names()) {}

    service::Context context;
    service::RequestCache requests;
    service::Logs logs;
    service::BulkWork bulk;
    service::Submitter submitter;
    service::DatasetMaker dataset_maker;
    service::Jobs jobs;
    service::Greens greens;
    service::Artifacts artifacts;
    service::DatasetKeeper keeper;
    service::Datasets datasets;
    service::Downloads downloads;
    service::Workers workers;
    service::Claims claims;
    service::Reports reports;
    service::Admin admin;
    service::Access access;
    service::Campaigns campaigns;
    service::CampaignDriver driver;
    std::mutex telling;
    std::function<void()> on_change;
    Host host;
    JobsService jobs_service;
    GreensService greens_service;
    ArtifactsService artifacts_service;
    DatasetsService datasets_service;
    CampaignsService campaigns_service;
    WorkersService workers_service;
    AdminService admin_service;
    ReflectionService reflection_service;
    CallsInProgress calls;
    std::unique_ptr<grpc::Server> server;
    std::atomic<bool> serves = false;  ///< as the health service says
    std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor;
    std::unique_ptr<gate::Gate> gate;  ///< last: it uses the others
    int port = 0;

    void open_gate();
};

/// Everybody who comes over a network comes by the gate.
void ApiServer::Parts::open_gate() {
    const service::ApiOptions& with = context.options;
    gate = std::make_unique<gate::Gate>(gate::GateOptions{
        .listen = with.listen,
        .certificate = with.certificate,
        .key = with.key,
        .client_ca = with.client_ca,
        .limits = {.caller = {.streams = kStreamsOfAConnection}},
        .check =
            [this](const std::optional<std::string>& authorization) {
                return verdict_of(context, authorization);
            },
        .join =
            [this](int socket) {
                grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters with_socket;
                with_socket.fd = socket;
                acceptor->HandleNewConnection(&with_socket);
            },
        .health = [this](const std::string& service) -> std::optional<bool> {
            const auto names = service_names();
            const bool known = service.empty() || std::ranges::find(names, service) != names.end();
            return known ? std::optional(serves.load()) : std::nullopt;
        },
        .sends_many = sends_many,
        .refused =
            [this](const std::string& path, int status) {
                if (method_of(path) != nullptr) {  // others would fill the table of methods
                    context.meters.called(path.substr(1), status, -1);
                }
            },
        .details_of_limit =
            [](const std::string& message) {
                return to_status(
                           rpc::ReasonedError(ErrorCode::Exhausted, rpc::kLimitExceeded, message))
                    .error_details();
            }});
    port = gate->port();
}

ApiServer::ApiServer(service::ApiOptions options, const service::Backends& backends)
    : parts_(std::make_unique<Parts>(std::move(options), backends)) {
    sleep_until_due();
    // The library ends with the process: its own end waits up to ten seconds for a poller that
    // helped with a large answer.
    [[maybe_unused]] static const bool stays = (grpc_init(), true);
    grpc::EnableDefaultHealthCheckService(true);
    grpc::ServerBuilder builder;
    const service::ApiOptions& with = parts_->context.options;
    int opened = 1;
    if (!with.socket.empty()) {
        builder.AddListeningPort("unix:" + with.socket.string(), grpc::InsecureServerCredentials(),
                                 &opened);
    }
    if (!with.listen.empty()) {
        parts_->acceptor = builder.experimental().AddExternalConnectionAcceptor(
            grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD,
            grpc::InsecureServerCredentials());
    }
    take_no_compression(builder);
    bound_connections(builder);
    for (grpc::Service* service : std::initializer_list<grpc::Service*>{
             &parts_->jobs_service, &parts_->greens_service, &parts_->artifacts_service,
             &parts_->datasets_service, &parts_->campaigns_service, &parts_->workers_service,
             &parts_->admin_service, &parts_->reflection_service}) {
        builder.RegisterService(service);
    }
    std::vector<std::unique_ptr<grpc::experimental::ServerInterceptorFactoryInterface>> meters;
    meters.push_back(std::make_unique<CallMeters>(parts_->context.meters, parts_->calls));
    builder.experimental().SetInterceptorCreators(std::move(meters));
    parts_->server = builder.BuildAndStart();
    if (opened <= 0) {
        throw Error(ErrorCode::Unavailable, "cannot listen on the socket " + with.socket.string());
    }
    if (!parts_->server) {
        throw Error(ErrorCode::Unavailable, "the server cannot start");
    }
    if (!with.listen.empty()) {
        parts_->open_gate();
    }
    parts_->host.timers.when_changed([this] {
        parts_->driver.wake();
        const std::lock_guard lock(parts_->telling);
        if (parts_->on_change) {
            parts_->on_change();
        }
    });
    parts_->driver.start();
    set_serving(true);
}

ApiServer::~ApiServer() {
    shutdown(std::chrono::seconds(1));
}

int ApiServer::port() const {
    return parts_->port;
}

std::string ApiServer::metrics() const {
    return service::metrics_text(parts_->context);
}

service::Meters& ApiServer::meters() {
    return parts_->context.meters;
}

service::DatasetKeeper& ApiServer::dataset_keeper() {
    return parts_->keeper;
}

auth::Principal ApiServer::authenticate(const std::optional<std::string>& authorization,
                                        auth::Role needed, const std::string& method) const {
    return service::authenticate(parts_->context, authorization, needed, method);
}

std::shared_ptr<grpc::Channel> ApiServer::local_channel() const {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    return parts_->server->InProcessChannel(arguments);
}

std::shared_ptr<void> ApiServer::take_stream(const auth::Principal& caller,
                                             const std::string& connection) const {
    return std::make_shared<service::Limits::Place>(
        parts_->context.limits.take(service::kWaitingStreams, caller.name, connection));
}

service::Downloads& ApiServer::downloads() const {
    return parts_->downloads;
}

void ApiServer::make_login_codes_by(service::MakeLoginCode make) {
    parts_->access.make_login_codes_by(std::move(make));
}

void ApiServer::set_serving(bool serving) {
    grpc::HealthCheckServiceInterface* health = parts_->server->GetHealthCheckService();
    parts_->serves = serving;
    health->SetServingStatus(serving);
    for (const std::string& service : service_names()) {
        health->SetServingStatus(service, serving);
    }
}

void ApiServer::when_changed(std::function<void()> then) {
    const std::lock_guard lock(parts_->telling);
    parts_->on_change = std::move(then);
}

void ApiServer::wake() {
    parts_->context.wakeups.notify();
}

bool ApiServer::is_quiet() const {
    return parts_->host.timers.quiet_for() > Host::kQuiet;
}

bool ApiServer::is_serving() const {
    return parts_->serves;
}

void ApiServer::drain() {
    set_serving(false);
    parts_->context.draining = true;
    parts_->context.wakeups.notify();
    parts_->driver.stop();
}

void ApiServer::shutdown(std::chrono::seconds grace) {
    if (!parts_->server) {
        return;
    }
    drain();
    if (parts_->gate) {
        parts_->gate->stop_listening();
    }
    // Waiting calls report the shutdown and end; so do writes to callers that do not read.
    parts_->host.timers.resume_all();
    // gRPC waits for idle clients, too, which do not listen to it: its part is short.
    parts_->calls.wait_for_none(grace);
    parts_->server->Shutdown(std::chrono::system_clock::now() + kLastWords);
    parts_->server->Wait();
    parts_->gate.reset();
    parts_->server.reset();
}

}  // namespace kaname::rpc

/// Stands in front of gRPC's function. The threads that run callbacks, half as many as there are
/// cores, wait in it for a second, pause for 100 ms and wait again: an idle server woke four times
/// a second for that, one of 64 cores thirty times. Whatever happens ends their wait, so that it
/// may be longer.
extern "C" grpc_event grpc_completion_queue_next(grpc_completion_queue* queue,
                                                 gpr_timespec deadline, void* reserved) {
    using Next = grpc_event (*)(grpc_completion_queue*, gpr_timespec, void*);
    static const Next next =
        reinterpret_cast<Next>(::dlsym(RTLD_NEXT, "grpc_completion_queue_next"));
    constexpr std::int64_t kLook_ms = 20000;
    std::array<char, 16> name{};
    if (::pthread_getname_np(::pthread_self(), name.data(), name.size()) == 0 &&
        std::string_view(name.data()) == "nexting_thread") {
        deadline =
            gpr_time_add(gpr_now(GPR_CLOCK_REALTIME), gpr_time_from_millis(kLook_ms, GPR_TIMESPAN));
    }
    return next(queue, deadline, reserved);
}
