import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { buffer } from 'node:stream/consumers'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { onTestFinished } from 'vitest'
import { WebhookBody } from '../../../src/wire/revision-events.ts'
import { freePort } from '../programs/free-port.ts'

export const HOOK_SECRET = 'a secret of the hook'

/** The response of a receiver to one call. */
export type Behaviour = 'take' | 'fail' | 'hang' | 'redirect'

export interface ReceivedCall {
  readonly text: string
  readonly signature: string
  readonly headers: IncomingHttpHeaders
  readonly behaviour: Behaviour
}

/** A real server that is called by webhooks; it behaves as it is told, and takes what it was not told about. */
export class WebhookReceiver {
  readonly calls: ReceivedCall[] = []
  readonly behaviours: Behaviour[] = []
  #server: Server | null = null
  #port = 0

  static async open(): Promise<WebhookReceiver> {
    const receiver = new WebhookReceiver()
    await receiver.start()
    onTestFinished(() => receiver.stop())
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}/hook?token=hidden-in-address`
  }

  async start(): Promise<void> {
    this.#port ||= await freePort()
    const server = createServer((request, response) => void this.#answer(request, response))
    server.listen(this.#port, '127.0.0.1')
    await once(server, 'listening')
    this.#server = server
  }

  async stop(): Promise<void> {
    const server = this.#server
    this.#server = null
    if (server === null) return
    const closed = once(server, 'close')
    server.close()
    server.closeAllConnections()
    await closed
  }

  /** The commits that it took, in the order in which they came. */
  taken(): string[] {
    const taken = this.calls.filter(({ behaviour }) => behaviour === 'take')
    return taken.map(({ text }) => WebhookBody.parse(JSON.parse(text)).revision.commitSHA)
  }

  /** Names this receiver in a webhooks file. */
  writeFile(file: string, more: object = {}): void {
    const webhook = { name: 'mirror', url: this.url, secret: HOOK_SECRET, ...more }
    writeFileSync(file, JSON.stringify({ webhooks: [webhook] }))
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await buffer(request)).toString('utf8')
    const behaviour = this.behaviours.shift() ?? 'take'
    const signature = String(request.headers['x-cairn-signature'])
    this.calls.push({ text, signature, headers: request.headers, behaviour })
    if (behaviour === 'hang') return
    const status = { take: 204, fail: 500, redirect: 302 }[behaviour]
    response.writeHead(status, behaviour === 'redirect' ? { location: this.url } : {}).end()
  }
}
