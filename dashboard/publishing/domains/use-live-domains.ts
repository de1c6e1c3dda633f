// Keeps the domains of a project up to date by its event stream. When the connection is lost and comes back,
// everything is fetched again.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { addressOf, type EventOf } from '../../../client/management-client.ts'
import {
  configurationKey,
  domainEventsKey,
  domainsKey,
  dropDomain,
  putDomain,
} from './domain-queries.ts'

export type Liveness = 'connecting' | 'live' | 'lost'

const route = 'GET /projects/{slug}/domain-events/stream'
type StreamedEvent = EventOf<typeof route>

/** A browser receives only events of types that it listens for. */
const eventTypes: Record<StreamedEvent['event']['type'], true> = {
  added: true,
  configured: true,
  removed: true,
  dns_changed: true,
  verified: true,
  certificate_ordered: true,
  active: true,
  renewed: true,
  at_risk: true,
  failed: true,
  suspended: true,
  paused: true,
  lost: true,
}

const reconnectAfterMs = 4000

export function useLiveDomains(slug: string): Liveness {
  const client = useQueryClient()
  const [liveness, setLiveness] = useState<Liveness>('connecting')

  useEffect(() => {
    let source: EventSource
    let timer: ReturnType<typeof setTimeout> | undefined

    function receive({ data }: MessageEvent<string>): void {
      const { domain, event } = JSON.parse(data) as StreamedEvent
      if (domain) putDomain(client, slug, domain)
      else dropDomain(client, slug, event.host)
      void client.invalidateQueries({ queryKey: domainEventsKey(slug) })
      if (event.type === 'configured' || event.type === 'removed') {
        void client.invalidateQueries({ queryKey: configurationKey(slug) })
      }
    }

    function open(): void {
      source = new EventSource(addressOf(route, { params: { slug } }))
      source.addEventListener('open', () => {
        setLiveness('live')
        // There may have been events before the connection.
        void client.invalidateQueries({ queryKey: domainsKey(slug) })
        void client.invalidateQueries({ queryKey: domainEventsKey(slug) })
      })
      source.addEventListener('error', () => {
        setLiveness('lost')
        // The browser reconnects, except after an error response.
        if (source.readyState !== EventSource.CLOSED) return
        timer = setTimeout(open, reconnectAfterMs)
      })
      for (const type of Object.keys(eventTypes)) source.addEventListener(type, receive)
    }

    open()
    return () => {
      clearTimeout(timer)
      source.close()
    }
  }, [client, slug])
  return liveness
}
