{{/* Secrets and ConfigMaps that must exist in the namespace before the release, and those that are missing. */}}

{{/* One of them, as JSON and a comma: (list "Secret" "name" "key" "what it is for"); nothing without a name. */}}
{{- define "svc.need" -}}
{{- if index . 1 -}}
{{- toJson (dict "kind" (index . 0) "name" (index . 1) "key" (index . 2) "about" (index . 3)) }},
{{- end -}}
{{- end }}

{{/* All keys of Secrets and ConfigMaps that pods need, as JSON: {"list": […]}. */}}
{{- define "svc.needs" -}}
{{- $v := .Values -}}
{{- $all := "" -}}
{{- if $v.controller.enabled -}}
{{- $all = cat $all (include "svc.needs.controller" .) -}}
{{- end -}}
{{- if $v.nodes.pools -}}
{{- $all = cat $all (include "svc.needs.nodes" .) -}}
{{- end -}}
{{- with $v.extraCa -}}
{{- $all = cat $all (include "svc.need" (list "Secret" .existingSecret .key "certificate authorities that processes trust")) -}}
{{- $all = cat $all (include "svc.need" (list "ConfigMap" .existingConfigMap .key "certificate authorities that processes trust")) -}}
{{- end -}}
{{- dict "list" (printf "[%s]" ($all | trimSuffix "," | trim | trimSuffix ",") | fromJsonArray | uniq) | toJson -}}
{{- end }}

{{- define "svc.needs.controller" -}}
{{- $v := .Values -}}
{{- include "svc.need" (list "Secret" $v.database.existingSecret $v.database.key "URL of the PostgreSQL database") -}}
{{- with $v.controller.tls -}}
{{- include "svc.need" (list "Secret" .existingSecret .certKey "the controllers' certificate") -}}
{{- include "svc.need" (list "Secret" .existingSecret .keyKey "private key of the controllers' certificate") -}}
{{- include "svc.need" (list "Secret" .clientCa.existingSecret .clientCa.key "certificate authorities of clients") -}}
{{- end -}}
{{- with $v.controller.resultsStorage -}}
{{- include "svc.need" (list "Secret" .existingSecret .key "the results storage") -}}
{{- if .credentialsKey -}}
{{- include "svc.need" (list "Secret" .existingSecret .credentialsKey "credentials of the results storage") -}}
{{- end -}}
{{- end -}}
{{- if and $v.auth.enabled (eq (include "svc.tenantsSource" .) "file") -}}
{{- with $v.auth.tenantsFile -}}
{{- include "svc.need" (list "Secret" .existingSecret .key "tenants file") -}}
{{- include "svc.need" (list "ConfigMap" .existingConfigMap .key "tenants file") -}}
{{- end -}}
{{- end -}}
{{- if include "svc.followsTenants" . -}}
{{- range $name := include "svc.storages.secrets" . | fromJsonArray -}}
{{- range list "AWS_ACCESS_KEY_ID" "AWS_SECRET_ACCESS_KEY" -}}
{{- include "svc.need" (list "Secret" $name . "credentials of storages") -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end }}

{{- define "svc.needs.nodes" -}}
{{- range $pool, $given := .Values.nodes.pools -}}
{{- with (include "svc.pool" (dict "root" $ "pool" $given) | fromJson).credentials -}}
{{- include "svc.need" (list "Secret" .token.existingSecret .token.key "a node's token, with role svc:admin") -}}
{{- include "svc.need" (list "Secret" .oidc.existingSecret .oidc.key "client secret of the nodes") -}}
{{- end -}}
{{- end -}}
{{- with .Values.nodes.tls -}}
{{- include "svc.need" (list "Secret" .ca.existingSecret .ca.key "certificate authorities of the controllers") -}}
{{- with .clientCertificate -}}
{{- include "svc.need" (list "Secret" .existingSecret .certKey "the nodes' client certificate") -}}
{{- include "svc.need" (list "Secret" .existingSecret .keyKey "private key of the nodes' client certificate") -}}
{{- end -}}
{{- end -}}
{{- end }}

{{/*
Missing ones, one per line. Only if helm talks to a cluster, which then has the namespace. Helm does not show that a pod
waits for a Secret, and the migration's pod is deleted after its deadline.
*/}}
{{- define "svc.missing" -}}
{{- $namespace := .Release.Namespace -}}
{{- if and .Values.checks.existing (lookup "v1" "Namespace" "" $namespace) -}}
{{- range (include "svc.needs" . | fromJson).list }}
{{- $found := lookup "v1" .kind $namespace .name }}
{{- if not $found }}
{{ .kind }} {{ .name | quote }} is not in namespace {{ $namespace }}. Create it with the key {{ .key | quote }}: {{ .about }}.
{{- else if not (or (hasKey ($found.data | default dict) .key) (hasKey ($found.binaryData | default dict) .key)) }}
{{ .kind }} {{ .name | quote }} in namespace {{ $namespace }} has no key {{ .key | quote }}: {{ .about }}. Add it.
{{- end }}
{{- end }}
{{- end -}}
{{- end }}
