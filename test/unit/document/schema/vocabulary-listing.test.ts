import { describe, expect, it } from 'vitest'
import { listVocabulary } from '../../../../src/document/schema/vocabulary.ts'

describe('the vocabulary as data', () => {
  it('distinguishes elements of one name in different places', () => {
    const listed = listVocabulary('exact')
    const childOf = (key: string, name: string) => listed[listed[key]?.children[name] ?? '']

    expect(childOf('pipelines', 'pipeline')?.attributes).toHaveProperty('labeltemplate')
    expect(childOf('templates', 'pipeline')?.attributes).not.toHaveProperty('labeltemplate')
    expect(childOf('materials', 'pipeline')?.attributes).toHaveProperty('pipelineName')
  })

  it('lists the values of an attribute, where there are only a few', () => {
    const { approval, stage } = listVocabulary('exact')

    expect(approval?.attributes['type']).toEqual({ required: true, values: ['success', 'manual'] })
    expect(stage?.attributes['name']).toEqual({ required: true })
  })

  it('has what only other versions of the schema know beside them', () => {
    expect(listVocabulary('exact')['job']?.attributes).not.toHaveProperty('elasticProfileId')
    expect(listVocabulary('others')['job']?.attributes).toHaveProperty('elasticProfileId')
  })
})
