import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listFiles } from '../../../src/builds/artifacts/listing.ts'
import type { BuildScene } from '../../support/builds/build-service.ts'
import { JOB, sceneWithFiles } from '../../support/builds/scene-with-files.ts'

/** Sends a request line as it stands: clients resolve dots before they send. */
function raw(scene: BuildScene, path: string): Promise<number> {
  const { hostname, port } = new URL(scene.service.url)
  const credentials = Buffer.from('vera:vera').toString('base64')
  const lines = [
    `GET ${path} HTTP/1.1`,
    `Host: ${hostname}`,
    `Authorization: Basic ${credentials}`,
    'Connection: close',
  ]
  return new Promise((resolve, reject) => {
    let answer = ''
    const socket = connect(Number(port), hostname, () => {
      socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    })
    socket.on('data', (chunk) => (answer += chunk.toString()))
    socket.on('error', reject)
    socket.on('close', () => {
      if (answer.includes('SECRET')) reject(new Error(`${path} gave away a secret`))
      else resolve(Number(answer.split(' ')[1]))
    })
  })
}

describe('a path', () => {
  it('never leaves the folder of its job', async () => {
    const { scene, folder } = await sceneWithFiles()
    const outside = join(scene.service.folder, 'outside')
    mkdirSync(outside)
    writeFileSync(join(outside, 'secret'), 'SECRET')
    writeFileSync(join(scene.service.folder, 'state', 'artifacts', 'secret'), 'SECRET')
    symlinkSync(outside, join(folder, 'link'))
    symlinkSync(join(outside, 'secret'), join(folder, 'linked'))
    symlinkSync('loop', join(folder, 'loop'))

    const attacks = [
      '../secret',
      '../../../../../secret',
      '..%2f..%2f..%2f..%2f..%2fsecret',
      '%2e%2e/%2e%2e/%2e%2e/%2e%2e/%2e%2e/secret',
      '%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2f%2e%2e%2fsecret',
      '%252e%252e%252f%252e%252e%252fsecret',
      'dist/..%2f..%2f..%2f..%2f..%2f..%2fsecret',
      'dist/./../../../../../../secret',
      '..\\..\\..\\..\\..\\secret',
      '..%5c..%5c..%5c..%5c..%5csecret',
      '....//....//....//secret',
      '..;/..;/secret',
      '%c0%ae%c0%ae/%c0%ae%c0%ae/secret',
      '%uff0e%uff0e/secret',
      `%2f${encodeURIComponent(outside.slice(1))}%2fsecret`,
      `/${outside}/secret`,
      `file:%2f%2f${encodeURIComponent(outside)}%2fsecret`,
      'dist/app.txt%00.html',
      '%00',
      'link/secret',
      'link',
      'linked',
      'loop',
      `${'a/'.repeat(3_000)}b`,
      'x'.repeat(300),
    ]
    const jobs = ['..%2f..%2f..%2f..', '%2e%2e', '..%2f..%2f..%2fsecret']
    const paths = [
      ...attacks.map((attack) => `/files/${JOB}/${attack}`),
      ...jobs.map((job) => `/files/app/1/build/1/${job}/secret`),
    ]
    const answered: [string, number][] = []
    for (const path of paths) answered.push([path, await raw(scene, path)])

    expect(answered.filter(([, status]) => status !== 400 && status !== 404)).toEqual([])
  })

  it('of an upload never leaves it either', async () => {
    const { scene, agent, job, folder } = await sceneWithFiles()
    const outside = join(scene.service.folder, 'outside')
    mkdirSync(outside)
    symlinkSync(outside, join(folder, 'link'))
    writeFileSync(join(folder, 'file'), 'in the way')

    const attacks = [
      '../up',
      '..',
      'a/../../up',
      '/up',
      'a//b',
      '..\\..\\up/../../up',
      'a\0b',
      './a',
      'link/up',
      'file/up',
      'dist',
      'cruise-output/console.log',
    ]
    const kept: string[] = []
    for (const attack of attacks) {
      const path = encodeURIComponent(attack)
      const target = `/api/agents-protocol/a1/jobs/${job.jobId}/artifacts/${path}?kind=artifact`
      if ((await agent.call('PUT', target, 'x')).ok) kept.push(attack)
    }

    expect(kept).toEqual([])
    expect(await listFiles(folder, [])).toEqual([
      { path: 'cruise-output/console.log', size: 18 },
      { path: 'dist/app.txt', size: 7 },
      { path: 'file', size: 10 },
      { path: 'report.html', size: 11 },
    ])
  })
})
