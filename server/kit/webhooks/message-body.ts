// The body of a message, as Standard Webhooks has it: type, timestamp, data.

/** `data` is JSON; `now` is in milliseconds since the epoch. */
export function messageBody(type: string, now: number, data: string): string {
  return `{"type":"${type}","timestamp":"${new Date(now).toISOString()}","data":${data}}`
}
