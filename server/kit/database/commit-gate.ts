// Decides whether a transaction may still commit:
//   open        it runs. `stop` ends one that takes too long: nothing is changed, and its writes fail with `unavailable`.
//   committing  `enter` was called right before the commit is sent. From then on only the database knows the outcome:
//               writes that it does not confirm in time fail with `outcome_unknown`. A refused commit leads back to open.
//   stopped     it must not commit, or nobody waits for its outcome any more.
import { unavailable } from '../errors.ts'

export class CommitGate {
  #isStopped = false
  #isCommitting = false
  #stop: (() => void) | undefined

  /** The transaction must not commit, or nobody waits for its outcome any more. */
  get isStopped(): boolean {
    return this.#isStopped
  }

  /** The commit has been sent: it may take effect at any time. */
  get isCommitting(): boolean {
    return this.#isCommitting
  }

  /** Throws `unavailable` if the transaction must not go on. */
  check(): void {
    if (this.#isStopped) throw unavailable('transaction deadline')
  }

  /** To be called right before the commit is sent. Throws `unavailable` if it must not be sent. */
  enter(): void {
    this.check()
    this.#isCommitting = true
  }

  /** The commit was refused: nothing was changed, and the transaction can be repeated. */
  reset(): void {
    this.#isCommitting = false
    this.#stop = undefined
  }

  /** Has `stop` called, at most once, to end the transaction's connection. */
  onStop(stop: () => void): void {
    this.#stop = stop
    if (this.#isStopped) this.#callStop()
  }

  /** Before the commit is sent, this prevents it. */
  stop(): void {
    this.#isStopped = true
    this.#callStop()
  }

  #callStop(): void {
    const stop = this.#stop
    this.#stop = undefined
    stop?.()
  }
}
