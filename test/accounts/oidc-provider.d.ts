// The parts of oidc-provider that the tests use; the package has no types.
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  interface Context {
    oidc: {
      client: { clientId: string }
      session: { accountId: string }
      provider: Provider
    }
  }

  interface Grant {
    addOIDCScope(scope: string): void
    save(): Promise<string>
  }

  export class Provider {
    constructor(issuer: string, configuration: object)
    Grant: new (properties: {
      clientId: string
      accountId: string
    }) => Grant
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
    interactionFinished(
      request: IncomingMessage,
      response: ServerResponse,
      result: object,
      options?: object,
    ): Promise<void>
    on(event: 'server_error', listener: (context: unknown, error: Error) => void): this
  }

  export type { Context }
}
