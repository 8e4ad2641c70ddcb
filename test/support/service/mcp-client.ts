import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { z } from 'zod'
import { atEnd } from '../programs/at-end.ts'
import type { TestService } from './service.ts'

const Result = z.object({
  content: z.array(z.object({ type: z.literal('text'), text: z.string() })).length(1),
  isError: z.boolean().optional(),
})

interface Told {
  readonly text: string
  readonly isError: boolean
  /** Null on the last page. */
  readonly cursor: string | null
}

/** The client of the protocol's own library, with a token. */
export class McpClient {
  readonly #client: Client
  /** How many tools it has called. */
  calls = 0

  private constructor(client: Client) {
    this.#client = client
  }

  static async open({ url }: Pick<TestService, 'url'>, token: string): Promise<McpClient> {
    const client = new Client({ name: 'test', version: '1' })
    const headers = { authorization: `Bearer ${token}` }
    const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
      requestInit: { headers },
    })
    await client.connect(transport)
    atEnd(() => client.close())
    return new McpClient(client)
  }

  async tools() {
    return (await this.#client.listTools()).tools
  }

  async call(name: string, given: Record<string, unknown> = {}): Promise<Told> {
    this.calls += 1
    const result = Result.parse(await this.#client.callTool({ name, arguments: given }))
    const text = result.content[0]?.text ?? ''
    const cursor = /\(more: call again with cursor (\S+)\)\n$/.exec(text)?.[1] ?? null
    return { text, isError: result.isError === true, cursor }
  }

  /** The text of a call that succeeds. */
  async ask(name: string, given: Record<string, unknown> = {}): Promise<string> {
    const { text, isError } = await this.call(name, given)
    if (isError) throw new Error(text)
    return text
  }
}
