// Keeps the domains of a project up to date with its event stream. After each reconnect, everything is fetched again.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { addressOf, type EventOf } from '../../../client/management-client.ts'
import { suspectOutage } from '../../platform/outage.ts'
import { useSlug } from '../../platform/requests.ts'
import {
  configurationQuery,
  domainsQueries,
  dropDomain,
  fetchAgain,
  putDomain,
} from './domain-queries.ts'
import { eventTypes } from './event-list.tsx'

const route = 'GET /projects/{slug}/domain-events/stream'
type StreamedEvent = EventOf<typeof route>

const reconnectAfterMs = 4000

export function useLiveDomains(): void {
  const slug = useSlug()
  const client = useQueryClient()

  useEffect(() => {
    let source: EventSource
    let timer: ReturnType<typeof setTimeout> | undefined
    const eventsQuery = { queryKey: ['projects', slug, 'domain-events'] }

    function receive({ data }: MessageEvent<string>): void {
      const { domain, event } = JSON.parse(data) as StreamedEvent
      if (domain) putDomain(client, slug, domain)
      else dropDomain(client, slug, event.host)
      void fetchAgain(client, eventsQuery)
      if (event.type === 'configured' || event.type === 'removed') {
        void fetchAgain(client, configurationQuery(slug))
      }
    }

    function open(): void {
      source = new EventSource(addressOf(route, { params: { slug } }))
      source.addEventListener('open', () => {
        // There may have been events before the connection.
        void fetchAgain(client, domainsQueries(slug))
        void fetchAgain(client, eventsQuery)
      })
      source.addEventListener('error', () => {
        suspectOutage()
        // The browser reconnects, except after an error response.
        if (source.readyState !== EventSource.CLOSED) return
        timer = setTimeout(open, reconnectAfterMs)
      })
      // A browser receives only events of types that it listens for.
      for (const type of eventTypes) source.addEventListener(type, receive)
    }

    open()
    return () => {
      clearTimeout(timer)
      source.close()
    }
  }, [client, slug])
}
