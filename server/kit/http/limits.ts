// The limits of the listeners of a process: their time-outs, and what requests and connections may hold.

/** Header fields of a request; more get a 431. */
export const maxFields = 100

export const defaultLimits = {
  /** Of the head of a request; a longer one gets a 431. */
  headerBytes: 32 * 1024,
  urlBytes: 8 * 1024,
  /** Of a header block that is remembered for repeated requests; with 0 none is (repeated-requests.ts). */
  repeatedBlockBytes: 4 * 1024,
  /** The same of all connections. */
  repeatedBytes: 16 * 1024 * 1024,
  /** For the head to arrive. */
  headersTimeoutMs: 10_000,
  /** For a body to arrive, unless its handler gives it longer. */
  bodyTimeoutMs: 30_000,
  /** For a connection with a request on it, when nothing moves on it in either direction. */
  stalledTimeoutMs: 30_000,
  /** For an idle connection. */
  keepAliveTimeoutMs: 72_000,
  /** On all ports, if the process may open that many files (clients.ts). */
  connections: 20_000,
  /** The same for one client network, and at most a quarter of all. */
  connectionsOfClient: 2_000,
  /** Of an unread body, before its connection is closed (connections.ts). Twice the maximum of an import. */
  unreadBodyBytes: 2 * 1024 * 1024,
  /** Pipelined requests that are handled before it is their turn, on each connection. */
  pipelinedAhead: 4,
  /** Pipelined requests that wait on a connection, before nothing more is read from it. */
  pipelinedWaiting: 100,
  /**
   * Pipelined requests that wait, and open HTTP/2 streams: of one client network, and of all. One read of a socket
   * brings up to 2,000 requests.
   */
  waitingOfClient: 5_000,
  waiting: 20_000,
  /** Bytes of responses that their clients have not taken, and of heads that wait: of one client network, and of all. */
  heldBytesOfClient: 32 * 1024 * 1024,
  heldBytes: 256 * 1024 * 1024,
  /** How often readers are checked. */
  readerCheckMs: 250,
  /** So many checks in a row, a client takes at least so many bytes of the responses that wait for it. */
  readerChecks: 240,
  readerBytes: 32 * 1024,
}
export type Limits = typeof defaultLimits
