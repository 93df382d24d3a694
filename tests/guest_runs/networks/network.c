/* A network of nodes, made up from a number: threads and processes that hand each other numbers through channels and ask
 * the system in between.  Each node takes from each channel as many numbers as its writer puts in, in an order that it
 * alone knows, so that what comes out is the same however fast each of them is (Kahn, "The semantics of a simple
 * language for parallel programming", 1974): a replay must print it again.
 *
 * network SEED [QUESTIONS [KINDS]]: of these only (masks; other channels are pipes); with NETWORK_SHOWS each tells what it
 * came to. */
#include "channels.h"
#include "processes.h"

enum { NODES = 8, CHANNELS = 16 };

static struct channel channels[CHANNELS];
static int node_count, channel_count, process_count, rounds;
static int process_of[NODES];
static uint64_t seed_of[NODES];
static uint64_t *results;       /* of the nodes, which all processes share */
static uint64_t allowed = ~0ull, kinds = ~0ull;

static uint64_t drawn(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static int below(uint64_t *state, int limit)
{
    return (int)(drawn(state) % (uint64_t)limit);
}

/* Numbers go from nodes to later ones, and so never in a circle. */
static void make_up(uint64_t seed)
{
    node_count = 2 + below(&seed, NODES - 1);
    process_count = 1 + below(&seed, node_count);
    rounds = 1 + below(&seed, 12);
    for (int i = 0; i < node_count; i++) {
        process_of[i] = i < process_count ? i : below(&seed, process_count);
        seed_of[i] = drawn(&seed);
    }
    channel_count = node_count - 1 + below(&seed, CHANNELS - node_count + 2);
    for (int i = 0; i < channel_count; i++) {
        struct channel *c = &channels[i];
        c->to = i < node_count - 1 ? i + 1 : 1 + below(&seed, node_count - 1);
        c->from = below(&seed, c->to);
        c->kind = (enum kind)below(&seed, KINDS);
        c->kind = kinds >> c->kind & 1 ? c->kind : PIPE;
        c->way = (enum way)below(&seed, WAYS);
        c->number = i;
    }
}

static void ask(int node, int round, uint64_t *draws, uint64_t *state)
{
    enum { COUNT = sizeof QUESTIONS / sizeof *QUESTIONS };
    int which = below(draws, COUNT);
    struct asked a = {node, round, drawn(draws) >> 8};
    if (allowed >> which & 1)
        *state = mixed(*state, QUESTIONS[which](&a));
    if (getenv("NETWORK_SHOWS"))
        fprintf(stderr, "node %d round %d question %d: %016llx\n", node, round, which, (unsigned long long)*state);
}

static void *run_node(void *number)
{
    int node = (int)(intptr_t)number;
    uint64_t draws = seed_of[node], state = (uint64_t)node;
    for (int i = 0; i < channel_count; i++)
        for (int is_writer = 0; is_writer < 2; is_writer++)
            if ((is_writer ? channels[i].from : channels[i].to) == node)
                channel_begin(&channels[i], is_writer);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < channel_count; i++)
            if (channels[i].to == node)
                state = mixed(state, channel_take(&channels[i], state));
        for (int asked = below(&draws, 4); asked > 0; asked--)
            ask(node, round, &draws, &state);
        for (int i = 0; i < channel_count; i++)
            if (channels[i].from == node)
                state = mixed(state, channel_put(&channels[i], state));
    }
    results[node] = state;
    return NULL;
}

static void run_process(int process)
{
    pthread_t threads[NODES];
    int first = -1;
    for (int i = 0; i < node_count; i++)
        if (process_of[i] == process && first < 0)
            first = i;
        else if (process_of[i] == process)
            CHECK(pthread_create(&threads[i], NULL, run_node, (void *)(intptr_t)i) == 0);
    run_node((void *)(intptr_t)first);
    for (int i = first + 1; i < node_count; i++)
        if (process_of[i] == process)
            CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(int count, char **args)
{
    pid_t pids[NODES];
    CHECK(count > 1);
    if (count > 2)
        allowed = strtoull(args[2], NULL, 0);
    if (count > 3)
        kinds = strtoull(args[3], NULL, 0);
    make_up(strtoull(args[1], NULL, 0));
    printf("%d nodes in %d processes, %d channels, %d rounds\n", node_count, process_count, channel_count, rounds);
    for (int i = 0; i < channel_count; i++)
        printf("channel %d: %s, whose reader %s, from node %d of process %d to node %d of process %d\n", i, KIND_NAMES[channels[i].kind],
               WAY_NAMES[channels[i].way], channels[i].from, process_of[channels[i].from], channels[i].to, process_of[channels[i].to]);
    results = shared_page();
    for (int i = 0; i < channel_count; i++)
        channel_open(&channels[i]);
    for (int process = 1; process < process_count; process++)
        if (!(pids[process] = fork())) {
            run_process(process);
            exit(0);
        }
    run_process(0);
    for (int process = 1; process < process_count; process++)
        CHECK(wait_for(pids[process]) == 0);
    for (int i = 0; i < channel_count; i++)
        channel_close(&channels[i]);
    for (int i = 0; i < node_count; i++)
        printf("node %d: %016llx\n", i, (unsigned long long)results[i]);
    return guest_done();
}
