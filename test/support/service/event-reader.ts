import { z } from 'zod'
import type { CalledService } from './service.ts'

const Event = z.object({ id: z.string(), event: z.string(), data: z.string() })

/** The content of one server-sent event. */
export interface ReadEvent {
  readonly id: string
  readonly event: string
  readonly data: unknown
}

/** A reader of the stream of revisions; the stream has begun when this returns. */
export async function openEvents(
  service: Pick<CalledService, 'fetch'>,
  query = '',
  headers: Readonly<Record<string, string>> = {},
  as?: string,
) {
  const controller = new AbortController()
  const response = await service.fetch(`/api/config/watch?${query}`, {
    headers: { accept: 'text/event-stream', ...headers },
    signal: controller.signal,
    ...(as !== undefined && { as }),
  })
  const events = readEvents(response)
  return {
    /** The next event, or null when the stream has ended. */
    next: async (): Promise<ReadEvent | null> => {
      const { done, value } = await events.next()
      return done === true ? null : value
    },
    close: () => controller.abort(),
  }
}

async function* readEvents({ body }: Response): AsyncGenerator<ReadEvent, void> {
  if (body === null) return
  let text = ''
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    const blocks = (text + chunk).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks.filter((each) => !each.startsWith(':'))) yield parse(block)
  }
}

function parse(block: string): ReadEvent {
  const fields = block.split('\n').map((line) => [line.split(': ')[0], line.replace(/^\w+: /, '')])
  const event = Event.parse(Object.fromEntries(fields))
  return { ...event, data: JSON.parse(event.data) }
}
