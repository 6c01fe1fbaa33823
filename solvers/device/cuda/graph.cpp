// SPDX-License-Identifier: BSD-3-Clause
#ifdef KANAME_HAVE_CUDA
#include "solvers/device/cuda/graph.hpp"

#include "solvers/device/cuda/stream.cuh"

namespace kaname::device {

Recording::Graph::~Graph() {
    if (executable != nullptr) {
        cudaGraphExecDestroy(static_cast<cudaGraphExec_t>(executable));
    }
}

namespace cuda {
namespace {

/// Ends the capture whatever happens, so that the stream can be used again.
class Capture {
public:
    explicit Capture(cudaStream_t stream) : stream_(stream) {
        // Other threads are other ranks, which may allocate meanwhile.
        check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal),
              "cudaStreamBeginCapture");
    }
    ~Capture() {
        if (!ended_) {
            (void)cudaStreamEndCapture(stream_, &graph_);
            (void)cudaGetLastError();
        }
        if (graph_ != nullptr) {
            cudaGraphDestroy(graph_);
        }
    }
    Capture(const Capture&) = delete;
    Capture& operator=(const Capture&) = delete;

    [[nodiscard]] cudaGraph_t end() {
        ended_ = true;
        check(cudaStreamEndCapture(stream_, &graph_), "cudaStreamEndCapture");
        return graph_;
    }

private:
    cudaStream_t stream_;
    cudaGraph_t graph_ = nullptr;
    bool ended_ = false;
};

}  // namespace

std::unique_ptr<Recording::Graph> record(const std::function<void()>& body, Queue& queue) {
    Capture capture(queue.stream().stream);
    body();
    auto graph = std::make_unique<Recording::Graph>();
    cudaGraphExec_t executable = nullptr;
    check(cudaGraphInstantiate(&executable, capture.end(), 0), "cudaGraphInstantiate");
    graph->executable = executable;
    return graph;
}

void replay(Recording::Graph& graph, Queue& queue) {
    check(cudaGraphLaunch(static_cast<cudaGraphExec_t>(graph.executable), queue.stream().stream),
          "cudaGraphLaunch");
}

}  // namespace cuda
}  // namespace kaname::device
#endif
