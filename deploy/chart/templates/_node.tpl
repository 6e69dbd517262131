{{/* The settings of a node and the files that they name: (dict "root" $ "part" {…}). */}}
{{- define "svc.node.env" -}}
{{- $v := .root.Values -}}
{{- $oidc := .part.credentials.oidc -}}
{{- include "svc.env" (dict
  "SVC_CONTROLLER" (include "svc.controllerAddress" .root)
  "SVC_SLOTS" .part.slots
  "SVC_THREADS" (include "svc.node.threads" .part)
  "SVC_SCORE_TIMEOUT" .part.scoreTimeout
  "SVC_VMAF_BINARY" .part.vmafBinary
  "SVC_MODEL_DIR" .part.modelDir
  "SVC_MEDIA_ROOT" (join ":" $v.media.roots)
  "SVC_MEDIA_CACHE" "/var/cache/svc/media"
  "SVC_MEDIA_CACHE_SIZE" .part.mediaCache.size
  "SVC_TLS" (include "svc.nodes.tls" .root)
  "SVC_TLS_CA" (ternary "" "/etc/svc/controller-ca/ca.crt" (empty $v.nodes.tls.ca.existingSecret))
  "SVC_TLS_CERT" (ternary "" "/etc/svc/tls/tls.crt" (empty $v.nodes.tls.clientCertificate.existingSecret))
  "SVC_TLS_KEY" (ternary "" "/etc/svc/tls/tls.key" (empty $v.nodes.tls.clientCertificate.existingSecret))
  "SVC_TOKEN_FILE" (ternary "" "/etc/svc/credentials/token" (empty .part.credentials.token.existingSecret))
  "SVC_OIDC_TOKEN_URL" $oidc.tokenUrl
  "SVC_OIDC_CLIENT_ID" $oidc.clientId
  "SVC_OIDC_CLIENT_SECRET_FILE" (ternary "" "/etc/svc/credentials/client-secret" (empty $oidc.existingSecret))
  "SVC_OIDC_SCOPE" $oidc.scope
  "SVC_OIDC_AUDIENCE" $oidc.audience) }}
{{- end }}

{{/*
Threads of one score, by the rule of src/processes/node/settings.ts and the cores of the CPU limit. The process itself misdetects
a limit below one core, or a share of the machine.
*/}}
{{- define "svc.node.threads" -}}
{{- $cores := include "svc.cores" .resources -}}
{{- if and (eq (int .threads) 0) $cores -}}
{{- min (int $cores) (max 1 (div (mul 2 (int $cores)) (int .slots))) -}}
{{- else -}}
{{- int .threads -}}
{{- end -}}
{{- end }}

{{- define "svc.node.mounts" -}}
{{- $tls := .root.Values.nodes.tls }}
{{- if .part.mediaCache }}
- { name: cache, mountPath: /var/cache/svc }
{{- end }}
{{- if or .part.credentials.token.existingSecret .part.credentials.oidc.existingSecret }}
- { name: credentials, mountPath: /etc/svc/credentials, readOnly: true }
{{- end }}
{{- if $tls.ca.existingSecret }}
- { name: controller-ca, mountPath: /etc/svc/controller-ca, readOnly: true }
{{- end }}
{{- if $tls.clientCertificate.existingSecret }}
- { name: tls, mountPath: /etc/svc/tls, readOnly: true }
{{- end }}
{{- end }}

{{- define "svc.node.volumes" -}}
{{- with .part.mediaCache }}
- name: cache
  {{- if .volume }}
  {{- toYaml .volume | nindent 2 }}
  {{- else }}
  emptyDir:
    # Videos, and what is known about them.
    sizeLimit: {{ add .size 1 }}Gi
  {{- end }}
{{- end }}
{{- with .part.credentials }}
{{- if .token.existingSecret }}
{{ include "svc.volume" (dict "name" "credentials" "secret" .token.existingSecret "items" (dict .token.key "token")) }}
{{- else if .oidc.existingSecret }}
{{ include "svc.volume" (dict "name" "credentials" "secret" .oidc.existingSecret "items" (dict .oidc.key "client-secret")) }}
{{- end }}
{{- end }}
{{- with .root.Values.nodes.tls }}
{{- if .ca.existingSecret }}
{{ include "svc.volume" (dict "name" "controller-ca" "secret" .ca.existingSecret "items" (dict .ca.key "ca.crt")) }}
{{- end }}
{{- with .clientCertificate }}
{{- if .existingSecret }}
{{ include "svc.volume" (dict "name" "tls" "secret" .existingSecret "items" (dict .certKey "tls.crt" .keyKey "tls.key")) }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
