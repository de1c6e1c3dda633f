// Lets a few pieces of costly work begin in each turn of the event loop, and takes those who wait in turn:
// whoever asks for much waits for himself, and everything else goes on in between.

export interface FairQueue {
  /** Begins now where there is room, else when it is this one's turn. */
  begin(who: string, work: () => void): void
}

/** `perTurn` begin in a turn of the event loop. */
export function createFairQueue(perTurn: number): FairQueue {
  const waiting = new Map<string, (() => void)[]>()
  let left = perTurn
  let isScheduled = false

  function schedule(): void {
    if (isScheduled) return
    isScheduled = true
    setImmediate(turn)
  }

  function turn(): void {
    isScheduled = false
    left = perTurn
    for (const [who, works] of waiting) {
      if (left === 0) break
      const work = works.shift() as () => void
      // Behind all others, if there is more.
      waiting.delete(who)
      if (works.length > 0) waiting.set(who, works)
      run(work)
    }
    if (waiting.size > 0) schedule()
  }

  function run(work: () => void): void {
    left--
    schedule()
    work()
  }

  return {
    begin(who, work) {
      if (left > 0 && waiting.size === 0) return run(work)
      const works = waiting.get(who)
      if (works) works.push(work)
      else waiting.set(who, [work])
      schedule()
    },
  }
}
