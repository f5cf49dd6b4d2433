/*
 * Runs programs of puts and barriers on a platform of SimGrid:
 *
 *     programs PLATFORM PROGRAM --cfg=...
 *
 * PROGRAM has a line for each PE with its host, "pe HOST", and then one for each call: "compute PE
 * NANOSECONDS" of a processor of 1 Gf, "put PE PEER BYTES", "barrier PE". Prints the end of each PE
 * in seconds. A put blocks until the data are there; a barrier begins when all have come, and takes
 * one empty message of each PE in each round of a dissemination.
 */
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <simgrid/s4u.hpp>

namespace s4u = simgrid::s4u;

struct call {
    std::string what;
    size_t peer;
    double amount;
};

static std::vector<s4u::Host *> hosts;
static std::vector<std::vector<call>> calls;
static std::vector<double> ends;
static s4u::BarrierPtr all;

static void barrier(size_t pe)
{
    all->wait();
    for (size_t distance = 1; distance < hosts.size(); distance *= 2) {
        s4u::Comm::sendto(hosts[pe], hosts[(pe + distance) % hosts.size()], 0);
        all->wait();
    }
}

static void run(size_t pe)
{
    for (const call &call : calls[pe]) {
        if (call.what == "compute")
            s4u::this_actor::execute(call.amount);
        else if (call.what == "put")
            s4u::Comm::sendto(hosts[pe], hosts[call.peer], (uint64_t)call.amount);
        else
            barrier(pe);
    }
    ends[pe] = s4u::Engine::get_clock();
}

static bool read(s4u::Engine &engine, const char *path)
{
    std::ifstream file(path);
    std::string what;
    while (file >> what) {
        std::string host;
        size_t pe = 0;
        call call = {what, 0, 0};
        if (what == "pe") {
            file >> host;
            hosts.push_back(engine.host_by_name(host));
            continue;
        }
        file >> pe;
        if (what == "put")
            file >> call.peer;
        if (what != "barrier")
            file >> call.amount;
        calls.resize(hosts.size());
        if (!file || pe >= hosts.size() || call.peer >= hosts.size())
            return false;
        calls[pe].push_back(call);
    }
    return !hosts.empty();
}

int main(int argc, char **argv)
{
    s4u::Engine engine(&argc, argv);
    if (argc != 3)
        return 2;
    engine.load_platform(argv[1]);
    if (!read(engine, argv[2]))
        return 2;
    calls.resize(hosts.size());
    ends.resize(hosts.size());
    all = s4u::Barrier::create((unsigned)hosts.size());
    for (size_t pe = 0; pe < hosts.size(); pe++)
        s4u::Actor::create(std::to_string(pe), hosts[pe], [pe] { run(pe); });
    engine.run();
    for (double end : ends)
        std::printf("%.12f\n", end);
    return 0;
}
