import { materialFingerprint, isSource } from '../../document/materials/identity.ts'
import type { Environment, Material, Pipeline, Variable } from '../../document/model/model.ts'
import { sealedSecretIn } from '../../document/secrets/address-secret.ts'
import { isSameName } from '../../core/name-key.ts'
import { AssignmentRefusal } from './secrets.ts'

/** A pipeline with its templates and params replaced, and the environments that contain it. */
export interface PlacedPipeline {
  readonly pipeline: Pipeline
  readonly environments: readonly Environment[]
}

/**
 * A former pipeline with the secrets of now: one that was replaced since may have been revoked, so it
 * is never used again. A variable that became a secret since has the value of now too.
 *
 * @throws {AssignmentRefusal} for a secret that the configuration no longer has.
 */
export function withSecretsOfNow(former: PlacedPipeline, now: PlacedPipeline): PlacedPipeline {
  const { pipeline, environments } = former
  const stageNow = (name: string) =>
    now.pipeline.stages.find((stage) => isSameName(stage.name, name))
  return {
    environments: environments.map((environment) => {
      const found = now.environments.find(({ name }) => isSameName(name, environment.name))
      const place = `the environment ${environment.name}`
      return { ...environment, variables: variablesOfNow(environment, found, place) }
    }),
    pipeline: {
      ...pipeline,
      variables: variablesOfNow(pipeline, now.pipeline, `the pipeline ${pipeline.name}`),
      materials: pipeline.materials.map((material) => materialOfNow(material, now.pipeline)),
      stages: pipeline.stages.map((stage) => {
        const found = stageNow(stage.name)
        return {
          ...stage,
          variables: variablesOfNow(stage, found, `the stage ${stage.name}`),
          jobs: stage.jobs.map((job) => {
            const jobNow = found?.jobs.find(({ name }) => isSameName(name, job.name))
            const place = `the job ${job.name} of the stage ${stage.name}`
            return { ...job, variables: variablesOfNow(job, jobNow, place) }
          }),
        }
      }),
    },
  }
}

interface WithVariables {
  readonly variables: readonly Variable[]
}

function variablesOfNow(
  { variables }: WithVariables,
  now: WithVariables | undefined,
  place: string,
): readonly Variable[] {
  return variables.map((variable) => {
    const found = now?.variables.find(({ name }) => name === variable.name)
    if (found && isSecret(found)) {
      const { secure, value, encryptedValue } = found
      return { ...variable, secure, value, encryptedValue }
    }
    if (!isSecret(variable)) return variable
    throw gone(`The secure variable ${variable.name} of ${place}`)
  })
}

function isSecret({ secure, encryptedValue }: Variable): boolean {
  return secure || encryptedValue !== null
}

/** A fingerprint has no secret in it, so the material of now reads the same repository. */
function materialOfNow(material: Material, { materials }: Pipeline): Material {
  if (!isSource(material) || !hasSecret(material)) return material
  const fingerprint = materialFingerprint(material)
  const found = materials.find((each) => materialFingerprint(each) === fingerprint)
  const name = material.name ?? material.dest ?? material.kind
  if (!found || !isSource(found) || !hasSecret(found))
    throw gone(`The password of the material ${name}`)
  const { password, encryptedPassword } = found
  const secrets = { password, encryptedPassword }
  if (material.kind === 'p4' || found.kind === 'p4') return { ...material, ...secrets }
  return { ...material, ...secrets, url: found.url }
}

function hasSecret(
  material: Extract<Material, { readonly encryptedPassword: string | null }>,
): boolean {
  const { password, encryptedPassword } = material
  if (password !== null || encryptedPassword !== null) return true
  return material.kind !== 'p4' && sealedSecretIn(material.url) !== null
}

function gone(what: string): AssignmentRefusal {
  return new AssignmentRefusal(`${what} is no longer in the configuration`)
}
