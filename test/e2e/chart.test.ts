// @module-tag long
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { readSettings } from '../../src/settings/read-settings.ts'
import { SETTINGS } from '../../src/settings/settings.ts'
import { renderChart } from '../support/programs/helm-chart.ts'
import { wrongInKubernetesObjects } from '../support/programs/kubernetes-objects.ts'

const Servers = z.object({
  kind: z.literal('StatefulSet'),
  spec: z.object({
    replicas: z.int(),
    template: z.object({
      spec: z.object({
        containers: z.tuple([
          z.object({
            image: z.string(),
            env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
            volumeMounts: z.array(z.object({ name: z.string() })),
          }),
        ]),
        volumes: z.array(z.object({ name: z.string() })),
      }),
    }),
    volumeClaimTemplates: z.array(z.object({ metadata: z.object({ name: z.string() }) })),
  }),
})

function kindsOf(objects: readonly unknown[]): string[] {
  return objects.map((each) => String(Object(each).kind)).toSorted()
}

function serversOf(objects: readonly unknown[]) {
  const found = objects.flatMap((each) => Servers.safeParse(each).data ?? [])
  expect(found).toHaveLength(1)
  return Servers.parse(found[0]).spec
}

/** Rendered by our own reader of its templates, as neither npm nor Debian has helm. */
describe('deploy/chart', () => {
  it.each([null, 'servers.yaml'])('makes objects of Kubernetes with the values of %s', (values) => {
    const objects = renderChart('ci', values)
    const { template, volumeClaimTemplates } = serversOf(objects)
    const { containers, volumes } = template.spec
    const [{ env, volumeMounts, image }] = containers

    expect(wrongInKubernetesObjects(objects)).toBe('')
    expect(image).toBe('cairn:0.1.0')
    const places = [...volumes, ...volumeClaimTemplates.map(({ metadata }) => metadata)]
    expect(volumeMounts.map(({ name }) => name).toSorted()).toEqual(
      places.map(({ name }) => name).toSorted(),
    )
    const variables = Object.fromEntries(
      env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]])),
    )
    const settings = readSettings(SETTINGS.serve, [], {
      ...variables,
      ...('CAIRN_ADVERTISE' in variables && { CAIRN_ADVERTISE: 'http://10.0.0.1:8153' }),
    })
    expect(settings['public-url']).toBe('https://cairn.example.org')
  })

  it('gives several servers a shared folder and their keys, and one server neither', () => {
    const one = renderChart('ci', null)
    const several = renderChart('ci', 'servers.yaml')

    expect(kindsOf(one)).toEqual(['Service', 'Service', 'StatefulSet'])
    expect(kindsOf(several)).toEqual(['PersistentVolumeClaim', ...kindsOf(one)])
    expect([serversOf(one).replicas, serversOf(several).replicas]).toEqual([1, 2])
    const namesOf = (objects: readonly unknown[]) =>
      serversOf(objects).template.spec.containers[0].env.map(({ name }) => name)
    expect(namesOf(one)).not.toContain('CAIRN_SECRET_KEYS')
    expect(namesOf(several)).toEqual(
      expect.arrayContaining(['CAIRN_ADVERTISE', 'CAIRN_SECRET_KEYS', 'CAIRN_ARTIFACTS_DIR']),
    )
  })
})
