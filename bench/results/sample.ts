/** What one round of a load generator against one server measured. */
export interface Sample {
  perSecond: number
  requests: number
  p50Us?: number
  p99Us?: number
  /**
   * Responses with a status of 400 or above, broken connections, responses later than ten seconds; 1 for a
   * round without any response.
   */
  errors: number
  serverCpuSeconds: number
  generatorCpuSeconds: number
  seconds: number
  /** Only for a mix of writes that uses the identifiers of the responses. */
  steps?: MixSteps | undefined
}

/** How often each step of the mix of writes succeeded. */
export interface MixSteps {
  created: number
  patched: number
  placed: number
  moved: number
}
