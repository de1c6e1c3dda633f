// What happens to the domains of a project, as it happens: the stream of events changes what is shown. When
// the connection drops that is said, and everything is asked anew once it is back.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { StreamedEvent } from '../../../server/publishing/domains/api/event-schema.ts'
import { domainEventTypes } from '../../../server/publishing/domains/events/event-types.ts'
import { path } from '../../platform/api.ts'
import {
  configurationKey,
  domainEventsKey,
  domainsKey,
  dropDomain,
  putDomain,
} from './domain-queries.ts'

/** `late`: the connection is gone, and it is tried again. */
export type Liveness = 'connecting' | 'live' | 'late'

const againAfterMs = 4000

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
      source = new EventSource(`/api${path`/projects/${slug}/domain-events/stream`}`)
      source.addEventListener('open', () => {
        setLiveness('live')
        // What happened while nobody listened.
        void client.invalidateQueries({ queryKey: domainsKey(slug) })
        void client.invalidateQueries({ queryKey: domainEventsKey(slug) })
      })
      source.addEventListener('error', () => {
        setLiveness('late')
        // The browser goes on by itself, except after an answer that is none.
        if (source.readyState !== EventSource.CLOSED) return
        timer = setTimeout(open, againAfterMs)
      })
      for (const type of Object.keys(domainEventTypes)) source.addEventListener(type, receive)
    }

    open()
    return () => {
      clearTimeout(timer)
      source.close()
    }
  }, [client, slug])
  return liveness
}
