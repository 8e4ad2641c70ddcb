import { expect, it } from 'vitest'
import { agentPaths } from '../../../src/wire/agent/paths.ts'
import { sceneWithAgent } from '../../support/builds/scene-with-agent.ts'
import { answersWith } from '../../support/http/answer-counts.ts'
import { BASIC, RawConnection, statusOf } from '../../support/http/raw-http.ts'

const FORM = 'Content-Type: application/x-www-form-urlencoded'
const CHUNKED = 'Transfer-Encoding: chunked'
const SMALL = 'Content-Length: 5000'
const LARGE = 'Content-Length: 500000'

it('a client that ends the connection within a body is no fault of the service', async () => {
  const { scene, agent } = await sceneWithAgent()
  const { service } = scene
  await scene.schedule()
  const { jobId } = await agent.work()
  const bearer = `Bearer ${agent.token}`
  const job = { uuid: agent.uuid, jobId }
  const save = 'PUT /api/admin/config.xml'
  const requests = [
    [save, [LARGE, 'If-Match: *'], '<cru'],
    [save, [SMALL, 'If-Match: *'], '<cru'],
    [save, [CHUNKED, 'If-Match: *'], '4\r\n<cru'],
    [save, [SMALL, 'If-Match: *', 'Content-Encoding: gzip'], '\x1f\x8b\x08'],
    ['POST /api/pipelines/app/pause', [SMALL, FORM], 'pauseCause=a'],
    ['POST /config/edit', [SMALL, FORM], 'a=b'],
    [`PUT ${agentPaths.artifact(job, 'artifact', 'large')}`, [LARGE], 'a', bearer],
    [`PUT ${agentPaths.console(job, 0)}`, [SMALL], 'a', bearer],
  ] as const

  for (const [call, headers, begun, credential = BASIC] of requests) {
    const lines = [`${call} HTTP/1.1`, 'Host: 127.0.0.1', `Authorization: ${credential}`]
    const connection = new RawConnection(service.url)
    connection.say(`${[...lines, ...headers].join('\r\n')}\r\n\r\n${begun}`)
    connection.socket.end()
    expect(statusOf(await connection.heard())).toBe(400)
  }

  await expect.poll(() => answersWith(service, '400')).toBe(requests.length)
  expect(await answersWith(service, '5')).toBe(0)
})
