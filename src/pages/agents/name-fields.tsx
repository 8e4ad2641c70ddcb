import type { AgentNames } from '../../document/agents/agent-edits.ts'

interface NameFieldsProps {
  readonly names: AgentNames
  /** The environments to choose from. */
  readonly environments: readonly string[]
}

/** The fields for resources, and for environments of the configuration. */
export function NameFields({ names, environments }: NameFieldsProps) {
  return (
    <div class="name-fields">
      <label>
        Resources, separated by commas
        <input
          type="text"
          id="resources"
          name="resources"
          value={names.resources.join(', ')}
          placeholder="linux, docker"
        />
      </label>
      {environments.length > 0 && (
        <fieldset>
          <legend>Environments</legend>
          {environments.map((name) => (
            <label>
              <input
                type="checkbox"
                name="environments"
                value={name}
                checked={names.environments.includes(name)}
              />{' '}
              {name}
            </label>
          ))}
        </fieldset>
      )}
    </div>
  )
}
